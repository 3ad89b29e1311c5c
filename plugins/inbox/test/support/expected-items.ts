import type { EventRecord } from "@gantry/plugin";
import type { InboxItem } from "../../src/contract.ts";

/** What the tests compare of an item. */
export interface ComparableItem {
  source: string;
  kind: string;
  title: string;
  count: number;
  /** Whether it waits, was answered and with what, or never asked. */
  asks: string;
}

/** Makes a list that can be compared: without ids, in a certain order. */
export function toComparable(items: readonly InboxItem[]): ComparableItem[] {
  return sorted(
    items.map(({ source, kind, title, count, dialog, state }) => ({
      source: source.id,
      kind,
      title,
      count,
      asks: dialog
        ? `${state === "done" && !dialog.open ? "done" : "open"} ${dialog.answer}`
        : "nothing",
    })),
  );
}

/** What a log of events must have made, thought through one after the other as a user would expect it. */
export function expectedItems(
  events: readonly EventRecord[],
): ComparableItem[] {
  const items: (ComparableItem & { dialog?: string })[] = [];
  for (const { type, data, subject } of events) {
    const fields = data as Record<string, string>;
    const newest = items
      .filter(({ source }) => source === fields.automationId)
      .at(-1);
    if (type === "automations.run-finished" && fields.result !== "skipped") {
      const isDone = fields.result === "done";
      const title = isDone ? "Nightly tests" : "Nightly tests: took too long";
      if (!isDone && newest?.kind === "notice") newest.count++;
      else
        items.push({
          source: fields.automationId ?? "",
          kind: isDone ? "result" : "notice",
          title,
          count: 1,
          asks: "nothing",
        });
    }
    if (type === "agents.dialog-opened")
      items.push({
        source: subject,
        kind: fields.kind === "permission" ? "approval" : "question",
        title: "Run a command",
        count: 1,
        asks: "open null",
        dialog: fields.id ?? "",
      });
    for (const item of items) {
      if (type === "agents.dialog-closed" && item.dialog === fields.dialogId)
        item.asks = `done ${fields.answer}`;
      if (
        type === "agents.agent-deleted" &&
        item.source === subject &&
        item.asks.startsWith("open")
      )
        item.asks = "done null";
    }
  }
  return sorted(items.map(({ dialog: _dialog, ...item }) => item));
}

function sorted(items: ComparableItem[]): ComparableItem[] {
  return items.sort((one, other) =>
    JSON.stringify(one).localeCompare(JSON.stringify(other)),
  );
}
