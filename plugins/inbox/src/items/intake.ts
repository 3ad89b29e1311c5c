import type { ItemDraft, Items } from "./items.ts";
import type { ItemRecord } from "./item-record.ts";
import type { Serial } from "./serial.ts";
import { toBody, toTitle } from "./texts.ts";

/** What a source has to tell. What is left out is `null`, and not blocking. */
export type Entry = Pick<ItemDraft, "kind" | "title" | "body" | "source"> &
  Partial<
    Omit<
      ItemDraft,
      "kind" | "title" | "body" | "source" | "truncated" | "lastAt"
    >
  > & {
    /** When it happened. */
    at: string;
  };

/** Takes what sources tell, and makes or changes items of it. */
export interface Intake {
  /**
   * Adds an item, or counts it in the one that it equals. All that it writes is one batch, so that a listener which
   * does nothing else has its effect once.
   *
   * @param entry Or what makes it, asked right before: no other work of the queue comes between it and the item.
   * @returns the item that shows the entry.
   */
  add(entry: Entry | (() => Promise<Entry>)): Promise<ItemRecord>;
}

/** Makes the intake of these items. */
export function createIntake(items: Items, serial: Serial): Intake {
  async function countIn(
    equal: ItemRecord,
    draft: ItemDraft,
  ): Promise<ItemRecord | undefined> {
    let isCounted = false;
    const item = await items.change(equal.id, (current) => {
      // The user may have finished it meanwhile; then what comes now is news again.
      isCounted = current.state !== "done";
      if (!isCounted) return undefined;
      const lastAt =
        draft.lastAt > current.lastAt ? draft.lastAt : current.lastAt;
      return {
        ...current,
        ...draft,
        // What can still be continued stays so.
        cutOff: draft.cutOff ?? current.cutOff,
        lastAt,
        state: "unread",
        count: current.count + 1,
      };
    });
    return isCounted ? item : undefined;
  }

  async function add(entry: Entry): Promise<ItemRecord> {
    const draft = toDraft(entry);
    const known =
      draft.key === null ? undefined : await items.withKey(draft.key);
    if (known) return known;
    if (draft.likeness !== null) {
      const { likeness, key } = draft;
      // Not only the newest: a source may fail in more than one way by turns.
      const notices = await items.latestNoticesOf(draft.source);
      const equal = notices.find(
        (notice) => notice.likeness === likeness && notice.key === key,
      );
      const counted = equal && (await countIn(equal, draft));
      if (counted) return counted;
    }
    return items.insert(draft);
  }

  return {
    add: (entry) =>
      serial(async () =>
        add(typeof entry === "function" ? await entry() : entry),
      ),
  };
}

function toDraft({ at, ...entry }: Entry): ItemDraft {
  const { name } = entry.source;
  return {
    blocking: false,
    state: "unread",
    severity: null,
    agentId: null,
    run: null,
    dialog: null,
    cutOff: null,
    key: null,
    likeness: null,
    sequence: 0,
    ...entry,
    title: toTitle(entry.title),
    source: { ...entry.source, name: name === null ? null : toTitle(name) },
    ...toBody(entry.body),
    lastAt: at,
  };
}
