import type { QuarantinedRecord, StoreOperation } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import { digestOf, openCopies } from "./quarantine-copies.ts";
import type {
  FoundValue,
  KnownCopy,
  QuarantineHost,
} from "./quarantine-copies.ts";
import { isConflict } from "./storage-error.ts";
import { toRemoval } from "./engine.ts";

/** What a collection can do for its records in quarantine. */
export interface QuarantineKeeper {
  /** Version of its schema. */
  readonly version: number;
  /** What writes a value that fits by now, with its index entries; a reason if it does not. */
  toRestore(value: object): Promise<StoreOperation[] | { reason: string }>;
  /** Keys of the index entries of a record, also of one that cannot be read. */
  findEntries(key: string): Promise<string[]>;
}

/**
 * Copies of what could not be read. The original stays where it is, so that a version that can read it finds it; the copy is
 * for the time when something is written in its place.
 */
export type Quarantine = Awaited<ReturnType<typeof openQuarantine>>;

/** Opens the quarantine of a store. */
export async function openQuarantine(host: QuarantineHost) {
  const { core, log } = host;
  const copies = await openCopies(host);
  const keepers = new Map<string, QuarantineKeeper>();
  const tooNew = new Set<string>();

  function keeperOf(key: string): QuarantineKeeper | undefined {
    for (const [prefix, keeper] of keepers)
      if (key.startsWith(prefix)) return keeper;
    return undefined;
  }

  function find(id: string): KnownCopy {
    const kept = copies.find(id);
    if (!kept) throw errors.QUARANTINE_NOT_FOUND({ id });
    return kept;
  }

  /** Whether what was copied is still there, was replaced, or is gone. */
  async function originalOf({ key, digest }: KnownCopy) {
    const now = await core.engine.get(key);
    if (now === undefined) return "gone";
    return digestOf(now) === digest ? "same" : "replaced";
  }

  /** Restores one if it fits, else gives the reason. */
  async function tryRestore(kept: KnownCopy): Promise<string | undefined> {
    const { key, owner } = kept;
    const keeper = keeperOf(key);
    if (!keeper) return `the plugin "${owner}" has no collection for it now`;
    const copy = await copies.read(kept);
    if (!copy) return "its copy is being written";
    if ((await originalOf(kept)) === "replaced")
      return "another record was written in its place; delete that one first";
    const { value } = copy;
    if (typeof value !== "object" || value === null) return "it is not JSON";
    const restoring = await keeper.toRestore(value);
    if ("reason" in restoring)
      return `it still does not fit: ${restoring.reason}`;
    try {
      await copies.remove([kept], owner, restoring);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return "another record has a value of it that must be unique";
    }
    log.info("Record restored from quarantine", { key });
    return undefined;
  }

  return {
    keep: copies.keep,
    /**
     * Keeps a copy for a read, which does not depend on it: if the copy cannot be written, that is logged, and the next read
     * tries again.
     */
    report: (found: FoundValue): Promise<void> =>
      copies
        .keep(found)
        .catch((error: unknown) =>
          log.error("Copy not put in quarantine", { key: found.key }, error),
        ),
    /** Notes a record of a later version, which is left alone. */
    leave(key: string, version: number): void {
      if (tooNew.has(key)) return;
      tooNew.add(key);
      log.warn("Record of a later version left alone", { key, version });
    },
    /** How many records of a later version were met since the start. */
    get tooNew() {
      return tooNew.size;
    },
    /** The copies, the newest first. */
    list: (): QuarantinedRecord[] =>
      copies
        .list()
        .sort((one, other) => (other.at ?? "").localeCompare(one.at ?? "")),
    /** Tells which collection the keys that begin with a prefix belong to. */
    register: (prefix: string, keeper: QuarantineKeeper) =>
      void keepers.set(prefix, keeper),
    /** Versions of the schemas of the collections that were registered, by prefix without the `:` at its end. */
    versions(): Record<string, number> {
      const all = [...keepers].map(
        ([prefix, { version }]) => [prefix.slice(0, -1), version] as const,
      );
      return Object.fromEntries(all);
    },
    /** Restores what fits by now of the keys that begin with a prefix. Nothing that was written since is replaced. */
    async restoreFitting(prefix: string): Promise<void> {
      for (const kept of copies.list())
        if (kept.key.startsWith(prefix)) await tryRestore(kept);
    },
    /** Restores one. @throws `QUARANTINE_NOT_FOUND`, `QUARANTINE_NOT_RESTORED` */
    async restore(id: string): Promise<void> {
      const reason = await tryRestore(find(id));
      if (reason !== undefined)
        throw errors.QUARANTINE_NOT_RESTORED({ reason });
    },
    /** Deletes one permanently, with its original if that is still the same. @throws `QUARANTINE_NOT_FOUND` */
    async delete(id: string): Promise<void> {
      const kept = find(id);
      const { key, owner } = kept;
      const keys: string[] = [];
      if ((await originalOf(kept)) === "same")
        keys.push(key, ...((await keeperOf(key)?.findEntries(key)) ?? []));
      await copies.remove([kept], owner, keys.map(toRemoval));
    },
    /** Deletes all copies of a plugin. */
    async deleteOf(owner: string): Promise<void> {
      const own = copies.list().filter((kept) => kept.owner === owner);
      if (own.length > 0) await copies.remove(own, owner);
    },
  };
}
