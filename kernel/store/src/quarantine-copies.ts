import { hash } from "node:crypto";
import { createIdentifier, defineEvent, NoticeRaised } from "@gantry/plugin";
import type {
  Clock,
  Log,
  NewEvent,
  QuarantinedRecord,
  StoreOperation,
} from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { scanPages } from "./scan-pages.ts";
import type { StoreCore } from "./store-core.ts";
import { toRemoval, Unreadable } from "./engine.ts";

/** Where copies in quarantine are in the store. */
export const QUARANTINE_PREFIX = "kernel:quarantine:";

export const QuarantineChanged = defineEvent<{ count: number }>(
  "kernel.quarantine-changed",
  "A record was put into quarantine, restored or deleted.",
);

/** A stored value that cannot be read. */
export interface FoundValue {
  /** Full key. */
  key: string;
  value: object;
  owner: string;
  reason: string;
  /** It can be read, and is about to be removed, so that only the copy is left. */
  isRemoved?: boolean;
}

/** A copy as it is stored under its id. */
interface StoredCopy extends Pick<FoundValue, "key" | "owner" | "reason"> {
  value: unknown;
  at?: string;
}

/** What is held in memory of a copy. */
export interface KnownCopy extends QuarantinedRecord {
  readonly digest: string;
}

/** Dependencies of a quarantine. */
export interface QuarantineHost {
  core: StoreCore;
  clock: Clock;
  log: Log;
}

/** Opens the copies of a store. */
export async function openCopies({ core, clock, log }: QuarantineHost) {
  const byId = new Map<string, KnownCopy>();
  /** Keys with the digests of what was copied from there. */
  const contents = new Set<string>();
  const contentOf = ({ key, digest }: KnownCopy) => `${key}\0${digest}`;

  function add(copy: KnownCopy): void {
    byId.set(copy.id, copy);
    contents.add(contentOf(copy));
  }

  function drop(copy: KnownCopy): void {
    byId.delete(copy.id);
    contents.delete(contentOf(copy));
  }

  /** Writes operations, with an event that says how many copies there are then. */
  const commit = (
    operations: readonly StoreOperation[],
    count: number,
    owner?: string,
    ...events: NewEvent[]
  ) =>
    // Work of the kernel's own: what the reader's work carries belongs to the first write of that work, not to this one.
    runInContext({ plugin: "kernel" }, () => {
      const all = [...events, QuarantineChanged.of("all", { count })];
      return core.commit("kernel", operations, all, owner);
    });

  for await (const page of scanPages(core.engine, QUARANTINE_PREFIX))
    for (const { key: storeKey, value } of page) {
      // A damaged copy names no record, so nothing can be done with it.
      if (value instanceof Unreadable) continue;
      const { key, owner, reason, at, value: copy } = value as StoredCopy;
      const id = storeKey.slice(QUARANTINE_PREFIX.length);
      const digest = digestOf(copy);
      add({ id, key, owner, reason, at: at ?? null, digest });
    }

  return {
    find: (id: string) => byId.get(id),
    list: () => [...byId.values()],
    /** What was copied, `undefined` while the copy is being written. */
    async read({ id }: KnownCopy): Promise<{ value: unknown } | undefined> {
      const copy = await core.engine.get(QUARANTINE_PREFIX + id);
      return copy as StoredCopy | undefined;
    },
    /** Keeps a copy, once, and raises a notice. Rejects if the copy cannot be written. */
    async keep(found: FoundValue): Promise<void> {
      const { key, owner, reason } = found;
      const id = createIdentifier("qua");
      const at = clock.timestamp();
      const digest = digestOf(found.value);
      const kept: KnownCopy = { id, key, owner, reason, at, digest };
      if (contents.has(contentOf(kept))) return;
      // Before the write, so that a second reader does not keep a second copy.
      add(kept);
      log.warn("Record put in quarantine", { plugin: owner, key, reason });
      const value = plain(found.value);
      const copy: StoredCopy = { key, owner, reason, at, value };
      const operation = { key: QUARANTINE_PREFIX + id, value: copy };
      const notice = toNotice(id, found);
      try {
        await commit(
          [{ type: "set", ...operation }],
          byId.size,
          "kernel",
          notice,
        );
      } catch (error) {
        drop(kept);
        throw error;
      }
    },
    /** Deletes copies of a plugin's, in one batch with other operations. */
    async remove(
      copies: readonly KnownCopy[],
      owner: string,
      also: readonly StoreOperation[] = [],
    ): Promise<void> {
      const own = copies.map(({ id }) => toRemoval(QUARANTINE_PREFIX + id));
      await commit([...also, ...own], byId.size - copies.length, owner);
      copies.forEach(drop);
    },
  };
}

/** What is kept of a value: as it is in the store, also if it is no JSON. */
const plain = (value: unknown) =>
  value instanceof Unreadable ? value.content : value;

/** Tells contents apart. */
export const digestOf = (value: unknown) =>
  hash("sha256", JSON.stringify(plain(value)) ?? "", "base64url");

/** Tells the user that a copy was kept. */
function toNotice(id: string, { key, owner, reason, isRemoved }: FoundValue) {
  return NoticeRaised.of(id, {
    title: `A record of "${owner}" ${isRemoved ? "was set aside" : "could not be read"}`,
    body: `${isRemoved ? "It is in quarantine" : "It is left as it is, a copy was set aside"}, and everything else keeps working. Key: \`${key}\`. What is wrong: ${reason}. Restore or delete it under Settings, Security.`,
    severity: "error",
  });
}
