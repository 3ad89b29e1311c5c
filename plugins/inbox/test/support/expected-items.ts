import type { EventRecord } from "@gantry/plugin";
import type { InboxItem } from "../../src/contract.ts";

/** What the tests compare of an item. */
export interface ComparableItem {
  source: string;
  kind: string;
  title: string;
  count: number;
  /** Whether it waits, was answered and with what, or never asked; of a turn, whether it can be continued. */
  asks: string;
}

/** Makes a list that can be compared: without ids, in a certain order. */
export function toComparable(items: readonly InboxItem[]): ComparableItem[] {
  return sorted(
    items.map(({ source, kind, title, count, dialog, cutOff, state }) => ({
      source: source.id,
      kind,
      title,
      count,
      asks: dialog
        ? `${state === "done" && !dialog.open ? "done" : "open"} ${dialog.answer}`
        : cutOff
          ? `${state} ${cutOff.open}`
          : "nothing",
    })),
  );
}

/** What a log of events must have made, thought through one after the other as a user would expect it. */
export function expectedItems(
  events: readonly EventRecord[],
): ComparableItem[] {
  const items: (ComparableItem & { asked?: string })[] = [];
  const cutRuns = new Map(
    events
      .map(({ data }) => data as { runId?: string; turnId?: string })
      .filter(({ runId, turnId }) => runId && turnId)
      .map(({ runId, turnId }) => [runId ?? "", turnId ?? ""]),
  );
  for (const { type, data, subject } of events) {
    const fields = data as Record<string, string>;
    const newest = items
      .filter(({ source }) => source === fields.automationId)
      .at(-1);
    if (type === "automations.run-finished" && fields.result !== "skipped") {
      const isDone = fields.result === "done";
      const what =
        fields.reason === "timeout"
          ? "took too long"
          : "the daemon restarted during the run";
      const title = isDone ? "Nightly tests" : `Nightly tests: ${what}`;
      const turnId = cutRuns.get(fields.runId ?? "");
      if (!isDone && newest?.kind === "notice") newest.count++;
      else
        items.push({
          source: fields.automationId ?? "",
          kind: isDone ? "result" : "notice",
          title,
          count: 1,
          asks: turnId ? "unread true" : "nothing",
        });
    }
    if (type === "agents.turn-cut-off" && fields.runId === null)
      items.push({
        source: subject,
        kind: "notice",
        title: "Ada was cut off",
        count: 1,
        asks: "unread true",
        asked: fields.turnId ?? "",
      });
    if (type === "agents.dialog-opened")
      items.push({
        source: subject,
        kind: fields.kind === "permission" ? "approval" : "question",
        title: "Run a command",
        count: 1,
        asks: "open null",
        asked: fields.id ?? "",
      });
    for (const item of items) {
      if (type === "agents.turn-resumed" && item.asked === fields.turnId)
        item.asks = "done false";
      if (type === "agents.dialog-closed" && item.asked === fields.dialogId)
        item.asks = `done ${fields.answer}`;
      if (
        type === "agents.agent-deleted" &&
        item.source === subject &&
        !item.asks.startsWith("done")
      )
        item.asks = item.asks.startsWith("open") ? "done null" : "done false";
    }
  }
  return sorted(items.map(({ asked: _asked, ...item }) => item));
}

function sorted(items: ComparableItem[]): ComparableItem[] {
  return items.sort((one, other) =>
    JSON.stringify(one).localeCompare(JSON.stringify(other)),
  );
}
