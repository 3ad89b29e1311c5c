import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { HomeReplacement, StoreEntry } from "@gantry/plugin";
import type { Engine } from "@gantry/store/engine";
import { readImagePages } from "@gantry/store/scan-pages";
import type { RangeImage } from "@gantry/store/range-driver";
import { keyRange } from "@gantry/store/key-range";
import type { KeyRange } from "@gantry/store/key-range";
import {
  eventNumberOf,
  readEventPlace,
  toFloor,
} from "@gantry/store/store-core";
import { toRemoval } from "@gantry/store/engine";
import type { RewriteWork, TextOperation } from "@gantry/store/range-driver";
import { linesFile } from "./check-stage.ts";
import { isContent, isSession } from "./kept-keys.ts";
import { mergeRecords } from "./merge-records.ts";
import { readEntryLines, toSet } from "./stage-lines.ts";
import type { WriteStaged } from "./stage-lines.ts";

/** What a store is rewritten by. */
export interface StagedStore {
  /** Folder of the stage, whose name tells whether the store has it already. */
  readonly stage: string;
  /** `replace` puts it in the place of all content, `merge` adds records or puts them in the place of those with the same key. */
  readonly mode: HomeReplacement["mode"];
  /** Whether a replacement leaves the sessions of browsers. */
  readonly keepsSessions: boolean;
  /** Namespaces whose records are merged. */
  readonly namespaces: readonly string[];
}

/** How a store is rewritten. */
export interface RewriteOptions {
  /** Does what must have happened when the store is written; the store stays as it was if it rejects. */
  last?(): Promise<void>;
  /** Numbers of events to leave free, where it is not known which ones were given before. */
  skippedEvents?: number;
  /** Stops it before a write: it rejects with its reason, and nothing is written. */
  signal?: AbortSignal | undefined;
}

/** Writes what is staged into a store, all of it or nothing. Does nothing for a stage that the store has already. */
export async function rewriteStore(
  engine: Engine,
  staged: StagedStore,
  { last, skippedEvents = 0, signal }: RewriteOptions = {},
): Promise<void> {
  const { stage, mode, namespaces } = staged;
  const name = basename(stage);
  const place = await readEventPlace(engine);
  // A process that was killed may have written it without a flush, which this one brings with it.
  if (place.stage === name)
    return void (await engine.commit([toFloor(place.after, name)]));
  // While a store is rewritten, none can be opened.
  const before = mode === "replace" ? await engine.openImage() : undefined;
  const work: RewriteWork = async (writeNow) => {
    const write: WriteStaged = async (operations) => {
      signal?.throwIfAborted();
      await writeNow(operations);
    };
    let { after } = place;
    if (before) {
      const newest = await replaceContent(before, staged, write);
      // Above every number that was ever given, so that none is given twice. A client that comes back with an older number is
      // told to start over.
      after = Math.max(place.newest, newest) + skippedEvents + 1;
    }
    for (const namespace of namespaces)
      await mergeRecords(engine, stage, namespace, write);
    await write([toFloor(after, name)]);
    await last?.();
  };
  try {
    await engine.rewrite(work);
  } finally {
    await before?.close();
  }
}

/**
 * Writes what is different, range by range: in the order of its keys a stage and a store are compared without holding either.
 *
 * @returns the number of the newest event that is staged
 */
async function replaceContent(
  before: RangeImage,
  { stage, keepsSessions }: StagedStore,
  write: WriteStaged,
): Promise<number> {
  const isReplaced = ({ key }: StoreEntry) =>
    isContent(key) || (!keepsSessions && isSession(key));

  async function replaceRange(
    range: KeyRange,
    entries: readonly StoreEntry[],
  ): Promise<void> {
    const staged = new Map(entries.map((entry) => [entry.key, entry]));
    for await (const page of readImagePages(before, range)) {
      const stale: TextOperation[] = [];
      for (const { key, text } of page.filter(isReplaced))
        if (!staged.has(key)) stale.push(toRemoval(key));
        else if (staged.get(key)?.text === text) staged.delete(key);
      await write(stale);
    }
    await write([...staged.values()].map(toSet));
  }

  const all = keyRange("");
  let { from } = all;
  let newest = 0;
  for (const namespace of await namespacesIn(stage))
    for await (const page of readEntryLines(
      linesFile(stage, namespace),
      namespace,
    )) {
      const content = page.filter(({ key }) => isContent(key));
      const to = `${page.at(-1)?.key}\u0000`;
      await replaceRange({ from, to }, content);
      from = to;
      for (const { key } of content)
        newest = Math.max(newest, eventNumberOf(key));
    }
  await replaceRange({ ...all, from }, []);
  // A database keeps all that is written while an image is open.
  await before.close();
  return newest;
}

/** Namespaces in the order of their keys. */
async function namespacesIn(stage: string): Promise<string[]> {
  const files = await readdir(join(stage, "store"));
  const prefixes = files.map((file) => file.replace(/\.ndjson$/, ":"));
  return prefixes.sort().map((prefix) => prefix.slice(0, -1));
}
