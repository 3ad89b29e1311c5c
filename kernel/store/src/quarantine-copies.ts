import { hash } from "node:crypto";
import type { Engine } from "./engine.ts";
import { scanPages } from "./scan-pages.ts";
import { Unreadable } from "./stored-value.ts";

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

/** All copies of a store by their ids, without their values. */
export class KnownCopies extends Map<string, KnownCopy> {
  readonly #contents = new Set<string>();

  add(copy: KnownCopy): void {
    this.set(copy.id, copy);
    this.#contents.add(`${copy.key}\0${copy.digest}`);
  }

  drop(copy: KnownCopy): void {
    this.delete(copy.id);
    this.#contents.delete(`${copy.key}\0${copy.digest}`);
  }

  /** Whether there is a copy of what lies under a key. */
  hasContent(key: string, digest: string): boolean {
    return this.#contents.has(`${key}\0${digest}`);
  }
}

/** Reads what is known of the copies in a store. */
export async function loadCopies(engine: Engine): Promise<KnownCopies> {
  const copies = new KnownCopies();
  for await (const page of scanPages(engine, QUARANTINE_PREFIX))
    for (const { key: storeKey, value } of page) {
      // A damaged copy names no record, so nothing can be done with it.
      if (value instanceof Unreadable) continue;
      const { key, owner, reason, at, value: copy } = value as StoredCopy;
      const id = storeKey.slice(QUARANTINE_PREFIX.length);
      const digest = digestOf(copy);
      copies.add({ id, key, owner, reason, at: at ?? null, digest });
    }
  return copies;
}

/** What is kept of a value: as it is in the store, also if it is no JSON. */
export function contentOf(value: object): unknown {
  return value instanceof Unreadable ? value.content : value;
}

/** Tells contents apart. */
export function digestOf(content: unknown): string {
  return hash("sha256", JSON.stringify(content) ?? "", "base64url");
}
