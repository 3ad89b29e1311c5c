import {
  createIdentifier,
  defineEvent,
  isGantryError,
  NoticeRaised,
} from "@gantry/plugin";
import type {
  Clock,
  Log,
  QuarantinedRecord,
  StoreOperation,
} from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import {
  contentOf,
  digestOf,
  loadCopies,
  QUARANTINE_PREFIX,
} from "./quarantine-copies.ts";
import type { KnownCopy, StoredCopy } from "./quarantine-copies.ts";
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

/**
 * Copies of what could not be read. The original stays where it is, so that a version that can read it finds it; the copy is
 * for the time when something is written in its place.
 */
export interface Quarantine {
  /** Keeps a copy, once, and raises a notice. Rejects if the copy cannot be written. */
  keep(found: FoundValue): Promise<void>;
  /**
   * Keeps a copy for a read, which does not depend on it: if the copy cannot be written, that is logged, and the next read
   * tries again.
   */
  report(found: FoundValue): Promise<void>;
  /** Notes a record of a later version, which is left alone. */
  leave(key: string, version: number): void;
  /** How many records of a later version were met since the start. */
  readonly tooNew: number;
  /** The copies, the newest first. */
  list(): QuarantinedRecord[];
  /** Tells which collection the keys that begin with a prefix belong to. */
  register(prefix: string, keeper: QuarantineKeeper): void;
  /** Versions of the schemas of the collections that were registered, by prefix without the `:` at its end. */
  versions(): Record<string, number>;
  /** Restores what fits by now of the keys that begin with a prefix. Nothing that was written since is replaced. */
  restoreFitting(prefix: string): Promise<void>;
  /** Restores one. @throws `QUARANTINE_NOT_FOUND`, `QUARANTINE_NOT_RESTORED` */
  restore(id: string): Promise<void>;
  /** Deletes one permanently, with its original if that is still the same. @throws `QUARANTINE_NOT_FOUND` */
  delete(id: string): Promise<void>;
  /** Deletes all copies of a plugin. */
  deleteOf(owner: string): Promise<void>;
}

/** Opens the quarantine of a store. */
export async function openQuarantine({
  core,
  clock,
  log,
}: {
  core: StoreCore;
  clock: Clock;
  log: Log;
}): Promise<Quarantine> {
  const { engine } = core;
  const copies = await loadCopies(engine);
  const keepers = new Map<string, QuarantineKeeper>();
  const tooNew = new Set<string>();

  // Work of the kernel's own: what the reader's work carries belongs to the first write of that work, not to this one.
  const commit: StoreCore["commit"] = (...args) =>
    runInContext({ plugin: "kernel" }, () => core.commit(...args));
  const changed = (count: number) => [QuarantineChanged.of("all", { count })];
  const toDrop = ({ id }: KnownCopy): StoreOperation => ({
    type: "remove",
    key: QUARANTINE_PREFIX + id,
  });

  function keeperOf(key: string): QuarantineKeeper | undefined {
    for (const [prefix, keeper] of keepers)
      if (key.startsWith(prefix)) return keeper;
    return undefined;
  }

  function find(id: string): KnownCopy {
    const kept = copies.get(id);
    if (!kept) throw errors.QUARANTINE_NOT_FOUND({ id });
    return kept;
  }

  /** Whether what was copied is still there, was replaced, or is gone. */
  async function originalOf(
    kept: KnownCopy,
  ): Promise<"same" | "replaced" | "gone"> {
    const now = await engine.get(kept.key);
    if (now === undefined) return "gone";
    return digestOf(contentOf(now)) === kept.digest ? "same" : "replaced";
  }

  /** Restores one if it fits, else gives the reason. */
  async function tryRestore(kept: KnownCopy): Promise<string | undefined> {
    const keeper = keeperOf(kept.key);
    if (!keeper)
      return `the plugin "${kept.owner}" has no collection for it now`;
    const copy = (await engine.get(QUARANTINE_PREFIX + kept.id)) as
      StoredCopy | undefined;
    if (!copy) return "its copy is being written";
    if ((await originalOf(kept)) === "replaced")
      return "another record was written in its place; delete that one first";
    const { value } = copy;
    if (typeof value !== "object" || value === null) return "it is not JSON";
    const restoring = await keeper.toRestore(value);
    if ("reason" in restoring)
      return `it still does not fit: ${restoring.reason}`;
    const operations = [...restoring, toDrop(kept)];
    try {
      const { owner } = kept;
      await commit("kernel", operations, changed(copies.size - 1), owner);
    } catch (error) {
      if (!isGantryError(error) || error.code !== "STORE_CONFLICT") throw error;
      return "another record has a value of it that must be unique";
    }
    copies.drop(kept);
    log.info("Record restored from quarantine", { key: kept.key });
    return undefined;
  }

  async function keep({
    key,
    value,
    owner,
    reason,
    isRemoved = false,
  }: FoundValue): Promise<void> {
    const content = contentOf(value);
    const digest = digestOf(content);
    for (const known of copies.of(key)) if (known.digest === digest) return;
    const id = createIdentifier("qua");
    const at = clock.timestamp();
    // Before the write, so that a second reader does not keep a second copy.
    const kept: KnownCopy = { id, key, owner, reason, at, digest };
    copies.add(kept);
    log.warn("Record put in quarantine", { plugin: owner, key, reason });
    const notice = NoticeRaised.of(id, {
      title: `A record of "${owner}" ${isRemoved ? "was set aside" : "could not be read"}`,
      body: `${isRemoved ? "It is in quarantine" : "It is left as it is, a copy was set aside"}, and everything else keeps working. Key: \`${key}\`. What is wrong: ${reason}. Restore or delete it under Settings, Security.`,
      severity: "error",
    });
    const copy: StoredCopy = { key, owner, reason, at, value: content };
    try {
      await commit(
        "kernel",
        [{ type: "set", key: QUARANTINE_PREFIX + id, value: copy }],
        [notice, ...changed(copies.size)],
      );
    } catch (error) {
      copies.drop(kept);
      throw error;
    }
  }

  return {
    leave(key, version) {
      if (tooNew.has(key)) return;
      tooNew.add(key);
      log.warn("Record of a later version left alone", { key, version });
    },
    get tooNew() {
      return tooNew.size;
    },
    list: () =>
      copies
        .list()
        .sort((one, other) => (other.at ?? "").localeCompare(one.at ?? "")),
    keep,
    report: (found) =>
      keep(found).catch((error: unknown) =>
        log.error("Copy not put in quarantine", { key: found.key }, error),
      ),
    register: (prefix, keeper) => void keepers.set(prefix, keeper),
    versions: () =>
      Object.fromEntries(
        [...keepers].map(([prefix, { version }]) => [
          prefix.slice(0, -1),
          version,
        ]),
      ),
    async restoreFitting(prefix) {
      for (const kept of copies.list())
        if (kept.key.startsWith(prefix)) await tryRestore(kept);
    },
    async restore(id) {
      const kept = find(id);
      const reason = await tryRestore(kept);
      if (reason !== undefined)
        throw errors.QUARANTINE_NOT_RESTORED({ reason });
    },
    async delete(id) {
      const kept = find(id);
      const operations = [toDrop(kept)];
      if ((await originalOf(kept)) === "same") {
        operations.push({ type: "remove", key: kept.key });
        const keeper = keeperOf(kept.key);
        if (keeper) operations.push(...(await keeper.toForget(kept.key)));
      }
      const { owner } = kept;
      await commit("kernel", operations, changed(copies.size - 1), owner);
      copies.drop(kept);
    },
    async deleteOf(owner) {
      const own = copies.list().filter((kept) => kept.owner === owner);
      if (own.length === 0) return;
      await commit(
        "kernel",
        own.map(toDrop),
        changed(copies.size - own.length),
        owner,
      );
      own.forEach(copies.drop);
    },
  };
}
