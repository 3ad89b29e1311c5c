import type { CollectionDefinition } from "@gantry/plugin";
import * as z from "zod";
import { inboxItem } from "../contract.ts";
import type { InboxItem } from "../contract.ts";

/** What the store holds of an item. */
export const itemRecord = inboxItem.extend({
  /** The key that the plugin which put it here gave it. */
  key: z.string().nullable(),
  /** Notices of one source with the same likeness are equal; `null` for items that are never counted together. */
  likeness: z.string().nullable(),
  /** Number of the last event about it, which orders what came in the same millisecond; 0 without one. */
  sequence: z.number().int().nonnegative(),
});
export type ItemRecord = z.infer<typeof itemRecord>;

const SEQUENCE_DIGITS = 16;

/** The items, ordered by when they last came, with an index for each question that a client or a listener asks. */
export const itemCollection: CollectionDefinition<ItemRecord> = {
  name: "item",
  version: 1,
  schema: itemRecord,
  indexes: {
    latest: (item) => [momentOf(item)],
    kind: (item) => [item.kind, momentOf(item)],
    state: (item) => [item.state, momentOf(item)],
    "state-kind": (item) => [item.state, item.kind, momentOf(item)],
    open: (item) => (isOpen(item) ? [momentOf(item)] : undefined),
    "open-kind": (item) =>
      isOpen(item) ? [item.kind, momentOf(item)] : undefined,
    blocking: (item) =>
      item.blocking && isOpen(item) ? [momentOf(item)] : undefined,
    source: (item) => [item.source.type, item.source.id, momentOf(item)],
    key: (item) => (item.key === null ? undefined : [item.key]),
    dialog: (item) => (item.dialog ? [item.dialog.id] : undefined),
    turn: (item) => (item.cutOff ? [item.cutOff.turnId] : undefined),
    run: (item) => (item.run ? [item.run.id] : undefined),
    waiting: ({ dialog, cutOff }) => {
      const waiting = dialog?.open ? dialog : cutOff?.open ? cutOff : undefined;
      return waiting && [waiting.agentId];
    },
  },
  // Records that a backup brings are not checked by the intake: of two with one key, one would never be settled.
  unique: ["key"],
};

function momentOf({ lastAt, sequence }: ItemRecord): string {
  return `${lastAt}-${String(sequence).padStart(SEQUENCE_DIGITS, "0")}`;
}

function isOpen(item: ItemRecord): boolean {
  return item.state !== "done";
}

/** What clients see of a record. */
export function toInboxItem({
  key: _key,
  likeness: _likeness,
  sequence: _sequence,
  ...item
}: ItemRecord): InboxItem {
  return item;
}
