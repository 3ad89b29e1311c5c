import { createHash } from "node:crypto";
import { createIdentifier, defineEvent, NoticeRaised } from "@gantry/plugin";
import type { Clock, Log, StoreOperation } from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";
import { errors } from "../errors.ts";
import { Unreadable } from "./engine.ts";
import { keyRange, rangeBehind } from "./range-driver.ts";
import type { StoreCore } from "./store-core.ts";

/** Where copies in quarantine are in the store. */
export const QUARANTINE_PREFIX = "kernel:quarantine:";
const PAGE = 500;

export const QuarantineChanged = defineEvent<{ count: number }>(
  "kernel.quarantine-changed",
  "A record was put into quarantine, restored or deleted.",
);

/** A copy of something that could not be read. */
export interface QuarantinedRecord {
  readonly id: string;
  /** Full key. */
  readonly key: string;
  /** The plugin that it belongs to. */
  readonly owner: string;
  readonly reason: string;
  /** RFC 3339; `null` for one that was set aside before times were kept. */
  readonly at: string | null;
}

/** What a collection can do for its records in quarantine. */
export interface QuarantineKeeper {
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
  /** Keeps a copy, once, and raises a notice. */
  keep(found: {
    key: string;
    value: object;
    owner: string;
    reason: string;
  }): Promise<void>;
  /** Whether there is a copy of what is under a key. */
  has(key: string): boolean;
  /** Notes a record of a later version, which is left alone. */
  leave(key: string, version: number): void;
  /** How many records of a later version were met since the start. */
  readonly tooNew: number;
  /** Drops the copy of a value that was read all the same. */
  settle(key: string, value: object): Promise<void>;
  /** The copies, the newest first. */
  list(): QuarantinedRecord[];
  /** Tells which collection the keys that begin with a prefix belong to. */
  register(prefix: string, keeper: QuarantineKeeper): void;
  /** Restores what fits by now of the keys that begin with a prefix. Nothing that was written since is replaced. */
  restoreFitting(prefix: string): Promise<void>;
  /** Restores one. @throws `QUARANTINE_NOT_FOUND`, `QUARANTINE_NOT_RESTORED` */
  restore(id: string): Promise<void>;
  /** Deletes one for good, with its original if that is still the same. @throws `QUARANTINE_NOT_FOUND` */
  delete(id: string): Promise<void>;
  /** Deletes all copies of a plugin. */
  deleteOf(owner: string): Promise<void>;
}

interface StoredCopy {
  key: string;
  owner: string;
  reason: string;
  value: unknown;
  at?: string;
}

interface Kept extends QuarantinedRecord {
  digest: string;
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
  const byId = new Map<string, Kept>();
  const byKey = new Map<string, Set<Kept>>();
  const keepers = new Map<string, QuarantineKeeper>();
  const tooNew = new Set<string>();

  function add(kept: Kept): void {
    byId.set(kept.id, kept);
    byKey.set(kept.key, (byKey.get(kept.key) ?? new Set()).add(kept));
  }

  function drop(kept: Kept): void {
    byId.delete(kept.id);
    const same = byKey.get(kept.key);
    same?.delete(kept);
    if (same?.size === 0) byKey.delete(kept.key);
  }

  let range = keyRange(QUARANTINE_PREFIX);
  for (;;) {
    const page = await engine.scan({ ...range, limit: PAGE, reverse: false });
    for (const { key: storeKey, value } of page) {
      const { key, owner, reason, at, value: copy } = value as StoredCopy;
      const id = storeKey.slice(QUARANTINE_PREFIX.length);
      add({ id, key, owner, reason, at: at ?? null, digest: digestOf(copy) });
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    range = rangeBehind(range, last.key, false);
  }

  // Work of the kernel's own: what the reader's work carries belongs to the first write of that work, not to this one.
  const commit: StoreCore["commit"] = (...args) =>
    runInContext({ plugin: "kernel" }, () => core.commit(...args));
  const changed = (count: number) => [QuarantineChanged.of("all", { count })];
  const toDrop = ({ id }: Kept): StoreOperation => ({
    type: "remove",
    key: QUARANTINE_PREFIX + id,
  });

  function keeperOf(key: string): QuarantineKeeper | undefined {
    for (const [prefix, keeper] of keepers)
      if (key.startsWith(prefix)) return keeper;
    return undefined;
  }

  function find(id: string): Kept {
    const kept = byId.get(id);
    if (!kept) throw errors.QUARANTINE_NOT_FOUND({ id });
    return kept;
  }

  /** Whether what was copied is still there, was replaced, or is gone. */
  async function originalOf(kept: Kept): Promise<"same" | "replaced" | "gone"> {
    const now = await engine.get(kept.key);
    if (now === undefined) return "gone";
    return digestOf(contentOf(now)) === kept.digest ? "same" : "replaced";
  }

  /** Restores one if it fits, else gives the reason. */
  async function tryRestore(kept: Kept): Promise<string | undefined> {
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
    await commit(
      "kernel",
      [...restoring, toDrop(kept)],
      changed(byId.size - 1),
    );
    drop(kept);
    log.info("Record restored from quarantine", { key: kept.key });
    return undefined;
  }

  return {
    has: (key) => byKey.has(key),
    leave(key, version) {
      if (tooNew.has(key)) return;
      tooNew.add(key);
      log.warn("Record of a later version left alone", { key, version });
    },
    get tooNew() {
      return tooNew.size;
    },
    list: () =>
      [...byId.values()]
        .map(({ id, key, owner, reason, at }) => ({
          id,
          key,
          owner,
          reason,
          at,
        }))
        .sort((a, b) => (b.at ?? "").localeCompare(a.at ?? "")),
    async keep({ key, value, owner, reason }) {
      const content = contentOf(value);
      const digest = digestOf(content);
      for (const known of byKey.get(key) ?? [])
        if (known.digest === digest) return;
      const id = createIdentifier("qua");
      const at = clock.timestamp();
      // Before the write, so that a second reader does not keep a second copy.
      const kept: Kept = { id, key, owner, reason, at, digest };
      add(kept);
      log.warn("Record put in quarantine", { plugin: owner, key, reason });
      const notice = NoticeRaised.of(id, {
        title: `A record of "${owner}" could not be read`,
        body: `It is left as it is, a copy was set aside, and everything else goes on. Key: \`${key}\`. What is wrong: ${reason}. Restore or delete it under Settings, Security.`,
        severity: "error",
      });
      const copy: StoredCopy = { key, owner, reason, at, value: content };
      try {
        await commit(
          "kernel",
          [{ type: "set", key: QUARANTINE_PREFIX + id, value: copy }],
          [notice, ...changed(byId.size)],
        );
      } catch (error) {
        drop(kept);
        throw error;
      }
    },
    async settle(key, value) {
      const digest = digestOf(contentOf(value));
      for (const kept of byKey.get(key) ?? []) {
        if (kept.digest !== digest) continue;
        drop(kept);
        await commit("kernel", [toDrop(kept)], changed(byId.size));
        log.info("Record can be read again", { key });
      }
    },
    register: (prefix, keeper) => void keepers.set(prefix, keeper),
    async restoreFitting(prefix) {
      for (const kept of [...byId.values()])
        if (kept.key.startsWith(prefix)) await tryRestore(kept);
    },
    async restore(id) {
      const kept = find(id);
      const reason = await tryRestore(kept);
      if (reason !== undefined)
        throw errors.QUARANTINE_NOT_RESTORED({ id, reason });
    },
    async delete(id) {
      const kept = find(id);
      const operations = [toDrop(kept)];
      if ((await originalOf(kept)) === "same") {
        operations.push({ type: "remove", key: kept.key });
        const keeper = keeperOf(kept.key);
        if (keeper) operations.push(...(await keeper.toForget(kept.key)));
      }
      await commit("kernel", operations, changed(byId.size - 1));
      drop(kept);
    },
    async deleteOf(owner) {
      const own = [...byId.values()].filter((kept) => kept.owner === owner);
      if (own.length === 0) return;
      await commit("kernel", own.map(toDrop), changed(byId.size - own.length));
      own.forEach(drop);
    },
  };
}

/** What is kept of a value: as it lies there, also if it is no JSON. */
const contentOf = (value: object): unknown =>
  value instanceof Unreadable ? value.content : value;

const digestOf = (content: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(content) ?? "")
    .digest("base64url");
