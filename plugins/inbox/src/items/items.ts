import { createIdentifier } from "@gantry/plugin";
import type { Collection, Page } from "@gantry/plugin";
import { ItemAdded, ItemChanged, ItemRemoved } from "../contract.ts";
import type {
  InboxItem,
  InboxItemBrief,
  InboxItemKind,
  InboxItemState,
} from "../contract.ts";
import { toInboxItem } from "./item-record.ts";
import type { ItemRecord } from "./item-record.ts";

/** What a listing asks for. */
export interface ItemQuery {
  /** `open` is unread or read. */
  state?: InboxItemState | "open";
  kind?: InboxItemKind;
  blocking?: boolean;
  limit: number;
  cursor?: string;
}

/** An item before it is stored. */
export type ItemDraft = Omit<
  ItemRecord,
  "id" | "createdAt" | "updatedAt" | "revision" | "count"
>;

/** Ways to fail that one source takes turns with. */
const MAX_LATEST_NOTICES = 20;
/** The badge shows no more than this; counting stops there. */
export const MAX_COUNTED = 1000;

/** The stored items. Every change is in one batch with its event. */
export interface Items {
  insert(draft: ItemDraft): Promise<ItemRecord>;
  /** @returns `undefined` if there is none, as with all that take an id. */
  get(id: string): Promise<ItemRecord | undefined>;
  /**
   * Changes an item; `change` gives `undefined` to leave it as it is.
   *
   * @throws `STALE_REVISION` if `revision` is given and is not the current one.
   */
  change(
    id: string,
    change: (item: ItemRecord) => ItemRecord | undefined,
    options?: { revision?: number },
  ): Promise<ItemRecord | undefined>;
  /** @throws `STALE_REVISION` as for change. */
  remove(
    id: string,
    options?: { revision?: number },
  ): Promise<ItemRecord | undefined>;
  list(query: ItemQuery): Promise<Page<InboxItem>>;
  badge(): Promise<{ unread: number; blocking: number }>;
  /** The notices of a source since its last item of another kind, the newest first; at most 20. */
  latestNoticesOf(source: { type: string; id: string }): Promise<ItemRecord[]>;
  withKey(key: string): Promise<ItemRecord | undefined>;
  ofDialog(dialogId: string): Promise<ItemRecord | undefined>;
  ofTurn(turnId: string): Promise<ItemRecord | undefined>;
  /** The item that shows a run; `undefined` also where a later run is counted in it. */
  ofRun(runId: string): Promise<ItemRecord | undefined>;
  /** Items of an agent with an open dialog or a turn that can be continued. */
  waitingOn(agentId: string): Promise<ItemRecord[]>;
}

/** Opens the stored items. */
export function openItems(collection: Collection<ItemRecord>): Items {
  const first = async (index: string, prefix: readonly string[]) =>
    (await collection.list({ index, prefix, limit: 1 })).items[0];

  return {
    async insert(draft) {
      const id = createIdentifier("inb");
      const record = {
        ...draft,
        id,
        createdAt: draft.lastAt,
        count: 1,
      } as const;
      return collection.insert(record, {
        events: [ItemAdded.of(id, toBrief(record))],
      });
    },
    get: (id) => collection.get(id),
    change: (id, change, options) =>
      collection.update(
        id,
        (item) => {
          const record = change(item);
          return (
            record && { record, events: [ItemChanged.of(id, toBrief(record))] }
          );
        },
        options,
      ),
    async remove(id, options) {
      const item = await collection.get(id);
      if (!item) return undefined;
      return collection.remove(id, {
        ...options,
        events: [ItemRemoved.of(id, toBrief(item))],
      });
    },
    list: (query) => list(collection, query),
    async badge() {
      const [unread, blocking] = await Promise.all([
        collection.count("state", ["unread"], MAX_COUNTED),
        collection.count("blocking", [], MAX_COUNTED),
      ]);
      return { unread, blocking };
    },
    async latestNoticesOf({ type, id }) {
      const { items } = await collection.list({
        index: "source",
        prefix: [type, id],
        limit: MAX_LATEST_NOTICES,
      });
      const end = items.findIndex(({ kind }) => kind !== "notice");
      return end < 0 ? items : items.slice(0, end);
    },
    withKey: (key) => first("key", [key]),
    ofDialog: (dialogId) => first("dialog", [dialogId]),
    ofTurn: (turnId) => first("turn", [turnId]),
    ofRun: (runId) => first("run", [runId]),
    async waitingOn(agentId) {
      return (
        await collection.list({
          index: "waiting",
          prefix: [agentId],
          limit: 500,
        })
      ).items;
    },
  };
}

async function list(
  collection: Collection<ItemRecord>,
  { state, kind, blocking, limit, cursor }: ItemQuery,
): Promise<Page<InboxItem>> {
  const fits = (item: ItemRecord) =>
    (state === undefined ||
      (state === "open" ? item.state !== "done" : item.state === state)) &&
    (kind === undefined || item.kind === kind) &&
    (blocking === undefined ||
      (item.blocking && item.state !== "done") === blocking);
  const { items, nextCursor } = await collection.list({
    ...toIndex(state, kind, blocking),
    limit,
    cursor,
    // The index holds what was asked for, but for a filter on `blocking` beside another one.
    ...(blocking === undefined ? {} : { filter: fits }),
  });
  return { items: items.map(toInboxItem), nextCursor };
}

function toIndex(
  state: ItemQuery["state"],
  kind: ItemQuery["kind"],
  blocking: ItemQuery["blocking"],
): { index: string; prefix: string[] } {
  if (blocking === true) return { index: "blocking", prefix: [] };
  if (state === "open")
    return kind
      ? { index: "open-kind", prefix: [kind] }
      : { index: "open", prefix: [] };
  if (state)
    return kind
      ? { index: "state-kind", prefix: [state, kind] }
      : { index: "state", prefix: [state] };
  return kind
    ? { index: "kind", prefix: [kind] }
    : { index: "latest", prefix: [] };
}

/** What the events of the Inbox report about an item. */
export function toBrief({
  kind,
  title,
  blocking,
  state,
  count,
}: InboxItemBrief): InboxItemBrief {
  return { kind, title, blocking, state, count };
}
