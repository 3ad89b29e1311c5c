import type { EventRecord } from "@gantry/plugin";
import type { TurnCutOff, TurnResumed } from "@gantry/plugin-agents/contract";
import type { InboxItemCutOff } from "../contract.ts";
import type { Entry, Intake } from "../items/intake.ts";
import type { ItemRecord } from "../items/item-record.ts";
import type { Items } from "../items/items.ts";
import type { Serial } from "../items/serial.ts";
import { toParagraphs } from "../items/texts.ts";
import type { Markers } from "./markers.ts";

/** Dependencies of {@link createCutOffItems}. */
export interface CutOffHost {
  items: Items;
  intake: Intake;
  serial: Serial;
  /** Turns whose conversation was continued before they had an item. */
  resumed: Markers;
  /** Runs of automations with a turn that was cut off, which had no item then. */
  cutRuns: Markers;
  /** Agents that were deleted. */
  gone: Markers;
}

type CutOff = EventRecord<NonNullable<(typeof TurnCutOff)["~data"]>>;
type Resumed = EventRecord<NonNullable<(typeof TurnResumed)["~data"]>>;

/**
 * Keeps an item for each turn that was cut off, blocking until the conversation continues. A run of an automation has an item of
 * its own, which offers to continue the turn, so that there is one item for both. As with dialogs, each handler works in any order
 * and has one write that matters.
 */
export interface CutOffItems {
  cutOff(event: CutOff): Promise<void>;
  resumed(event: Resumed): Promise<void>;
  /** The turn of a run that can be continued, for an item that is about to be added by the intake. */
  ofRun(runId: string): Promise<InboxItemCutOff | null>;
}

/** Creates the handlers. */
export function createCutOffItems(host: CutOffHost): CutOffItems {
  const { items, intake, serial, resumed, cutRuns, gone } = host;

  async function toCutOff({
    turnId,
    agentId,
  }: {
    turnId: string;
    agentId: string;
  }): Promise<InboxItemCutOff> {
    const ended = (await resumed.get(turnId)) ?? (await gone.get(agentId));
    return { turnId, agentId, open: !ended, taskId: null };
  }

  async function offerInRun(runId: string, event: CutOff): Promise<void> {
    const turn = { turnId: event.data.turnId, agentId: event.subject };
    const item = await items.ofRun(runId);
    if (!item) return await cutRuns.put(runId, { turn });
    const cutOff = await toCutOff(turn);
    if (cutOff.open)
      await items.change(item.id, (current) => ({ ...current, cutOff }));
  }

  return {
    async cutOff(event) {
      const { subject: agentId, data } = event;
      const { turnId, runId } = data;
      if (runId !== null) return await serial(() => offerInRun(runId, event));
      await intake.add(async () =>
        toEntry(event, await toCutOff({ turnId, agentId })),
      );
    },
    resumed: ({ data: { turnId } }) =>
      serial(async () => {
        const item = await items.ofTurn(turnId);
        if (item) await closeCutOff(items, item);
        else await resumed.put(turnId);
      }),
    async ofRun(runId) {
      const turn = (await cutRuns.get(runId))?.turn;
      const cutOff = turn && (await toCutOff(turn));
      return cutOff?.open ? cutOff : null;
    },
  };
}

/**
 * Notes that the turn of an item cannot be continued any more. The item is done with that, unless it also shows the
 * failure of a run: then only where a reply asked to continue, and nothing came since.
 */
export function closeCutOff(
  items: Items,
  item: ItemRecord,
): Promise<ItemRecord | undefined> {
  return items.change(item.id, (current) => {
    const { cutOff, run, state } = current;
    // A later run that was counted in the item may have brought a turn of its own.
    if (!cutOff?.open || cutOff.turnId !== item.cutOff?.turnId)
      return undefined;
    const isSettled =
      run === null || (cutOff.taskId !== null && state === "read");
    return {
      ...current,
      state: isSettled ? "done" : state,
      cutOff: { ...cutOff, open: false },
    };
  });
}

/** Notes the task that continues the turn of an item. */
export function noteContinued(
  items: Items,
  item: ItemRecord,
  taskId: string,
): Promise<ItemRecord | undefined> {
  return items.change(item.id, (current) => {
    const { cutOff, state } = current;
    if (!cutOff || cutOff.turnId !== item.cutOff?.turnId) return undefined;
    const seen = state === "unread" ? "read" : state;
    return {
      ...current,
      // The conversation may have continued already.
      state: cutOff.open ? seen : "done",
      cutOff: { ...cutOff, taskId },
    };
  });
}

function toEntry(
  { subject, data, at, id: sequence }: CutOff,
  cutOff: InboxItemCutOff,
): Entry {
  const { agentName, turnId, prompt } = data;
  return {
    kind: "notice",
    title: `${agentName} was cut off`,
    body: toText(prompt),
    severity: "warning",
    source: { type: "agent", id: subject, name: agentName },
    blocking: true,
    state: cutOff.open ? "unread" : "done",
    agentId: subject,
    cutOff,
    key: `inbox:cut-off:${turnId}`,
    at,
    sequence,
  };
}

function toText(prompt: string): string {
  if (!prompt.trim())
    return "The daemon stopped during a turn that the agent began by itself.";
  const quoted = toParagraphs(prompt.trim()).replace(/^(?=.)/gm, "> ");
  const quote = quoted.replace(/^$/gm, ">");
  return `${quote}\n\nThe daemon stopped before the agent finished this.`;
}
