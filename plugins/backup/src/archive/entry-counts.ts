import type { Manifest } from "./manifest.ts";

export type NamespaceCounts = Manifest["namespaces"][number];

/** Further ones are no collections but keys that a plugin makes up. */
const MAX_COLLECTIONS = 200;
/** Between the first and the second `:` of a key. That of an index entry has a `~`. */
const COLLECTION = /^[A-Za-z][\w.-]{0,63}$/;

/** Counts what a namespace of the store holds. */
export class EntryCounts {
  readonly #namespace: string;
  readonly #collections = new Map<string, { records: number; bytes: number }>();
  #entries = 0;
  #records = 0;
  #bytes = 0;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** @param bytes Of the entry's line. */
  add(key: string, bytes: number): void {
    this.#entries++;
    this.#bytes += bytes;
    const start = this.#namespace.length + 1;
    const end = key.indexOf(":", start);
    const name = end < 0 ? undefined : key.slice(start, end);
    if (name?.includes("~")) return;
    this.#records++;
    if (name === undefined || !COLLECTION.test(name)) return;
    const collection = this.#collections.get(name);
    if (collection) {
      collection.records++;
      collection.bytes += bytes;
    } else if (this.#collections.size < MAX_COLLECTIONS)
      this.#collections.set(name, { records: 1, bytes });
  }

  result(): NamespaceCounts {
    const collections = [...this.#collections]
      .map(([name, counts]) => ({ name, ...counts }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return {
      name: this.#namespace,
      entries: this.#entries,
      records: this.#records,
      bytes: this.#bytes,
      collections,
    };
  }
}
