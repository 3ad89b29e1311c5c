import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { flush } from "@gantry/plugin/files";
import type { StoreEntry } from "@gantry/plugin";
import type { Engine } from "@gantry/store/engine";
import { linesFile } from "./check-stage.ts";
import { isThere } from "./durable-files.ts";
import { isContent } from "./kept-keys.ts";
import { readEntryLines, readLines } from "./stage-lines.ts";

const MAX_RESTORED = 400;

/** What lay under a key before a merge; `null` for nothing. */
interface EntryBefore {
  key: string;
  text: string | null;
}

/** The records of some namespaces in a stage. */
export interface StagedRecords {
  readonly stage: string;
  readonly namespaces: readonly string[];
}

/**
 * Whether an entry belongs to an index of a collection. Index functions may have changed since it was written, so index entries
 * are rebuilt from the records.
 */
function isIndexEntry({ key, text }: StoreEntry): boolean {
  return text === "{}" && (key.split(":")[1] ?? "").includes("~");
}

/**
 * Writes down what a merge is going to change, to be read by {@link unmergeStore}. After an interruption it starts over, until
 * it was whole once.
 */
export async function keepBefore(
  engine: Engine,
  records: StagedRecords,
  file: string,
): Promise<void> {
  if (await isThere(file)) return;
  const part = `${file}.part`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(part, { force: true });
  const handle = await open(part, "wx", 0o600);
  const keep = async (keys: readonly string[]) => {
    if (keys.length === 0) return;
    const texts = await engine.getTexts(keys);
    const lines = keys.map((key, at) =>
      JSON.stringify({ key, text: texts[at] ?? null } satisfies EntryBefore),
    );
    await handle.appendFile(`${lines.join("\n")}\n`);
  };
  try {
    const digests = await findDigests(engine, records);
    await keep([...digests.keys()]);
    for (const namespace of records.namespaces)
      for await (const page of readRecords(records.stage, namespace))
        await keep(page.map(({ key }) => key));
    await flush(handle);
  } finally {
    await handle.close();
  }
  await rename(part, file);
  await flush(dirname(file));
}

/**
 * Adds staged records to a store, or puts them in the place of those with the same key. It goes in steps and may be called
 * again after an interruption at any; the plugins that they belong to must not run until it is over.
 */
export async function mergeStore(
  engine: Engine,
  records: StagedRecords,
  signal?: AbortSignal,
): Promise<void> {
  // First, so that the indexes are rebuilt whatever happens in between.
  const digests = await findDigests(engine, records);
  await engine.putTexts(
    [...digests].map(([key, text]) => ({ key, text })),
    [],
  );
  for (const namespace of records.namespaces)
    for await (const page of readRecords(records.stage, namespace)) {
      signal?.throwIfAborted();
      await engine.putTexts(page, []);
    }
}

/** Takes back what {@link mergeStore} did, by what {@link keepBefore} wrote. */
export async function unmergeStore(
  engine: Engine,
  file: string,
): Promise<void> {
  if (!(await isThere(file))) return;
  let entries: StoreEntry[] = [];
  let removed: string[] = [];
  const put = async () => {
    await engine.putTexts(entries, removed);
    entries = [];
    removed = [];
  };
  for await (const line of readLines(file)) {
    const { key, text } = JSON.parse(line) as EntryBefore;
    if (text === null) removed.push(key);
    else entries.push({ key, text });
    if (entries.length + removed.length >= MAX_RESTORED) await put();
  }
  await put();
}

async function* readRecords(
  stage: string,
  namespace: string,
): AsyncGenerator<StoreEntry[], void, void> {
  for await (const page of readEntryLines(
    linesFile(stage, namespace),
    namespace,
  )) {
    const records = page.filter(
      (entry) => isContent(entry.key) && !isIndexEntry(entry),
    );
    if (records.length > 0) yield records;
  }
}

/**
 * The digests of the collections that get records, with a value that causes their indexes to be rebuilt: no digest fits an empty text.
 * The names of the indexes stay, so that one that is no longer defined is still removed.
 */
async function findDigests(
  engine: Engine,
  { stage, namespaces }: StagedRecords,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const namespace of namespaces) {
    const prefix = `kernel:collection:${namespace}:`;
    const known = new Set(await engine.keys(prefix));
    const touched = new Set<string>();
    for await (const page of readEntryLines(
      linesFile(stage, namespace),
      namespace,
    ))
      for (const entry of page) {
        const [, part = ""] = entry.key.split(":");
        const [name] = part.split("~");
        const key = prefix + name;
        if (known.has(key) || isIndexEntry(entry)) touched.add(key);
      }
    for (const key of touched) {
      const state = (await engine.get(key)) as
        { indexes?: Record<string, string> } | undefined;
      const indexes = Object.fromEntries(
        Object.keys(state?.indexes ?? {}).map((index) => [index, ""]),
      );
      found.set(key, JSON.stringify({ indexes }));
    }
  }
  return found;
}
