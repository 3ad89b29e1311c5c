import { hash } from "node:crypto";
import type { QuarantinedRecord } from "@gantry/plugin";
import { Unreadable } from "./engine.ts";
import type { Engine } from "./engine.ts";
import { scanPages } from "./scan-pages.ts";

/** Where copies in quarantine are in the store. */
export const QUARANTINE_PREFIX = "kernel:quarantine:";

/** A copy as it is stored under its id. */
export interface StoredCopy {
  key: string;
  owner: string;
  reason: string;
  value: unknown;
  at?: string;
}

/** What is held in memory of a copy. */
export interface KnownCopy extends QuarantinedRecord {
  readonly digest: string;
}

/** All copies of a store, without their values. */
export interface KnownCopies {
  readonly size: number;
  get(id: string): KnownCopy | undefined;
  /** Those of what is or was under a key. */
  of(key: string): Iterable<KnownCopy>;
  list(): KnownCopy[];
  add(copy: KnownCopy): void;
  drop(copy: KnownCopy): void;
}

/** Reads what is known of the copies in a store. */
export async function loadCopies(engine: Engine): Promise<KnownCopies> {
  const byId = new Map<string, KnownCopy>();
  const byKey = new Map<string, Set<KnownCopy>>();

  function add(copy: KnownCopy): void {
    byId.set(copy.id, copy);
    byKey.set(copy.key, (byKey.get(copy.key) ?? new Set()).add(copy));
  }

  for await (const page of scanPages(engine, QUARANTINE_PREFIX))
    for (const { key: storeKey, value } of page) {
      // A damaged copy names no record, so nothing can be done with it.
      if (value instanceof Unreadable) continue;
      const { key, owner, reason, at, value: copy } = value as StoredCopy;
      const id = storeKey.slice(QUARANTINE_PREFIX.length);
      add({ id, key, owner, reason, at: at ?? null, digest: digestOf(copy) });
    }

  return {
    get size() {
      return byId.size;
    },
    get: (id) => byId.get(id),
    of: (key) => byKey.get(key) ?? [],
    list: () => [...byId.values()],
    add,
    drop(copy) {
      byId.delete(copy.id);
      const same = byKey.get(copy.key);
      same?.delete(copy);
      if (same?.size === 0) byKey.delete(copy.key);
    },
  };
}

/** What is kept of a value: as it is in the store, also if it is no JSON. */
export function contentOf(value: object): unknown {
  return value instanceof Unreadable ? value.content : value;
}

/** Tells contents apart. */
export function digestOf(content: unknown): string {
  return hash("sha256", JSON.stringify(content) ?? "", "base64url");
}
