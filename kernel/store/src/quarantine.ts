import { createIdentifier, defineEvent, NoticeRaised } from "@gantry/plugin";
import type { Clock, Log, NewEvent, StoreOperation } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import {
  contentOf,
  digestOf,
  loadCopies,
  QUARANTINE_PREFIX,
} from "./quarantine-copies.ts";
import type {
  KnownCopies,
  KnownCopy,
  QuarantinedRecord,
  StoredCopy,
} from "./quarantine-copies.ts";
import { isConflict } from "./storage-error.ts";
import type { StoreCore } from "./store-core.ts";

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

/** What a collection can do for its records in quarantine. */
export interface QuarantineKeeper {
  /** Version of its schema. */
  readonly version: number;
  /** What writes a value that fits by now, with its index entries; a reason if it does not. */
  toRestore(value: object): Promise<StoreOperation[] | { reason: string }>;
  /** What removes the index entries of a record that cannot be read. */
  toForget(key: string): Promise<StoreOperation[]>;
}

/** Dependencies of a quarantine. */
export interface QuarantineHost {
  core: StoreCore;
  clock: Clock;
  log: Log;
}

/** Opens the quarantine of a store. */
export const openQuarantine = async (host: QuarantineHost) =>
  new Quarantine(host, await loadCopies(host.core.engine));

/**
 * Copies of what could not be read. The original stays where it is, so that a version that can read it finds it; the copy is
 * for the time when something is written in its place.
 */
export class Quarantine {
  readonly #host: QuarantineHost;
  readonly #copies: KnownCopies;
  readonly #keepers = new Map<string, QuarantineKeeper>();
  readonly #tooNew = new Set<string>();

  constructor(host: QuarantineHost, copies: KnownCopies) {
    this.#host = host;
    this.#copies = copies;
  }

  /** Keeps a copy, once, and raises a notice. Rejects if the copy cannot be written. */
  async keep(found: FoundValue): Promise<void> {
    const { key, owner, reason } = found;
    const value = contentOf(found.value);
    const digest = digestOf(value);
    if (this.#copies.hasContent(key, digest)) return;
    const id = createIdentifier("qua");
    const at = this.#host.clock.timestamp();
    // Before the write, so that a second reader does not keep a second copy.
    const kept: KnownCopy = { id, key, owner, reason, at, digest };
    this.#copies.add(kept);
    this.#host.log.warn("Record put in quarantine", {
      plugin: owner,
      key,
      reason,
    });
    const copy: StoredCopy = { key, owner, reason, at, value };
    try {
      await this.#commit(
        [{ type: "set", key: QUARANTINE_PREFIX + id, value: copy }],
        this.#copies.size,
        "kernel",
        toNotice(id, found),
      );
    } catch (error) {
      this.#copies.drop(kept);
      throw error;
    }
  }

  /**
   * Keeps a copy for a read, which does not depend on it: if the copy cannot be written, that is logged, and the next read
   * tries again.
   */
  async report(found: FoundValue): Promise<void> {
    try {
      await this.keep(found);
    } catch (error) {
      const { key } = found;
      this.#host.log.error("Copy not put in quarantine", { key }, error);
    }
  }

  /** Notes a record of a later version, which is left alone. */
  leave(key: string, version: number): void {
    if (this.#tooNew.has(key)) return;
    this.#tooNew.add(key);
    this.#host.log.warn("Record of a later version left alone", {
      key,
      version,
    });
  }

  /** How many records of a later version were met since the start. */
  get tooNew(): number {
    return this.#tooNew.size;
  }

  /** The copies, the newest first. */
  list(): QuarantinedRecord[] {
    return [...this.#copies.values()].sort((one, other) =>
      (other.at ?? "").localeCompare(one.at ?? ""),
    );
  }

  /** Tells which collection the keys that begin with a prefix belong to. */
  register(prefix: string, keeper: QuarantineKeeper): void {
    this.#keepers.set(prefix, keeper);
  }

  /** Versions of the schemas of the collections that were registered, by prefix without the `:` at its end. */
  versions(): Record<string, number> {
    const entries = [...this.#keepers].map(
      ([prefix, { version }]) => [prefix.slice(0, -1), version] as const,
    );
    return Object.fromEntries(entries);
  }

  /** Restores what fits by now of the keys that begin with a prefix. Nothing that was written since is replaced. */
  async restoreFitting(prefix: string): Promise<void> {
    for (const kept of [...this.#copies.values()])
      if (kept.key.startsWith(prefix)) await this.#tryRestore(kept);
  }

  /** Restores one. @throws `QUARANTINE_NOT_FOUND`, `QUARANTINE_NOT_RESTORED` */
  async restore(id: string): Promise<void> {
    const reason = await this.#tryRestore(this.#find(id));
    if (reason !== undefined) throw errors.QUARANTINE_NOT_RESTORED({ reason });
  }

  /** Deletes one permanently, with its original if that is still the same. @throws `QUARANTINE_NOT_FOUND` */
  async delete(id: string): Promise<void> {
    const kept = this.#find(id);
    const { key, owner } = kept;
    const operations: StoreOperation[] = [];
    if ((await this.#originalOf(kept)) === "same") {
      operations.push({ type: "remove", key });
      const forgotten = await this.#keeperOf(key)?.toForget(key);
      operations.push(...(forgotten ?? []));
    }
    await this.#drop([kept], owner, operations);
  }

  /** Deletes all copies of a plugin. */
  async deleteOf(owner: string): Promise<void> {
    const own = [...this.#copies.values()].filter(
      (kept) => kept.owner === owner,
    );
    if (own.length > 0) await this.#drop(own, owner);
  }

  /** Writes operations, with an event that says how many copies there are then. */
  #commit(
    operations: readonly StoreOperation[],
    count: number,
    owner: string,
    ...events: NewEvent[]
  ): Promise<void> {
    // Work of the kernel's own: what the reader's work carries belongs to the first write of that work, not to this one.
    return runInContext({ plugin: "kernel" }, () =>
      this.#host.core.commit(
        "kernel",
        operations,
        [...events, QuarantineChanged.of("all", { count })],
        owner,
      ),
    );
  }

  /** Deletes copies in one batch with other operations. */
  async #drop(
    copies: readonly KnownCopy[],
    owner: string,
    operations: readonly StoreOperation[] = [],
  ): Promise<void> {
    const removed = copies.map(({ id }): StoreOperation => ({
      type: "remove",
      key: QUARANTINE_PREFIX + id,
    }));
    const left = this.#copies.size - copies.length;
    await this.#commit([...operations, ...removed], left, owner);
    for (const copy of copies) this.#copies.drop(copy);
  }

  #keeperOf(key: string): QuarantineKeeper | undefined {
    for (const [prefix, keeper] of this.#keepers)
      if (key.startsWith(prefix)) return keeper;
    return undefined;
  }

  #find(id: string): KnownCopy {
    const kept = this.#copies.get(id);
    if (!kept) throw errors.QUARANTINE_NOT_FOUND({ id });
    return kept;
  }

  /** Whether what was copied is still there, was replaced, or is gone. */
  async #originalOf(kept: KnownCopy): Promise<"same" | "replaced" | "gone"> {
    const now = await this.#host.core.engine.get(kept.key);
    if (now === undefined) return "gone";
    return digestOf(contentOf(now)) === kept.digest ? "same" : "replaced";
  }

  /** Restores one if it fits, else gives the reason. */
  async #tryRestore(kept: KnownCopy): Promise<string | undefined> {
    const { id, key, owner } = kept;
    const keeper = this.#keeperOf(key);
    if (!keeper) return `the plugin "${owner}" has no collection for it now`;
    const copy = (await this.#host.core.engine.get(QUARANTINE_PREFIX + id)) as
      StoredCopy | undefined;
    if (!copy) return "its copy is being written";
    if ((await this.#originalOf(kept)) === "replaced")
      return "another record was written in its place; delete that one first";
    const { value } = copy;
    if (typeof value !== "object" || value === null) return "it is not JSON";
    const restoring = await keeper.toRestore(value);
    if ("reason" in restoring)
      return `it still does not fit: ${restoring.reason}`;
    try {
      await this.#drop([kept], owner, restoring);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return "another record has a value of it that must be unique";
    }
    this.#host.log.info("Record restored from quarantine", { key });
    return undefined;
  }
}

/** Tells the user that a copy was kept. */
function toNotice(id: string, { key, owner, reason, isRemoved }: FoundValue) {
  return NoticeRaised.of(id, {
    title: `A record of "${owner}" ${isRemoved ? "was set aside" : "could not be read"}`,
    body: `${isRemoved ? "It is in quarantine" : "It is left as it is, a copy was set aside"}, and everything else keeps working. Key: \`${key}\`. What is wrong: ${reason}. Restore or delete it under Settings, Security.`,
    severity: "error",
  });
}
