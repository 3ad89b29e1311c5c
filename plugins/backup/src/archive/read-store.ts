import { createHash } from "node:crypto";
import type { StoreEntry } from "@gantry/plugin";
import { EntryCounts } from "./entry-counts.ts";
import type { Manifest } from "./manifest.ts";
import { homeFiles, storeFileName } from "./names.ts";
import { nextTurn } from "./next-turn.ts";
import { readPackedFile, type ReadContext } from "./packed-file-reader.ts";
import { parseShallow } from "./parse-shallow.ts";
import { readTar, type ArchivedFile } from "./tar-format.ts";

const BATCH_ENTRIES = 500;
const LINE_END = 0x0a;

/** Entries of a namespace and how long their lines are. */
export interface EntryBatch {
  entries: StoreEntry[];
  bytes: number;
}

/**
 * Reads all entries of a namespace, and compares what they are and how many with what the manifest says.
 *
 * @throws BACKUP_SNAPSHOT_CORRUPT, BACKUP_SNAPSHOT_INVALID, BACKUP_SNAPSHOT_TOO_LARGE
 */
export async function* readNamespace(
  name: string,
  { archives, namespaces }: Manifest,
  context: ReadContext,
): AsyncGenerator<EntryBatch> {
  const expected = namespaces.find((namespace) => namespace.name === name);
  if (!expected) return;
  const counts = new EntryCounts(name);
  for (const archive of archives) {
    if (archive.namespace !== name) continue;
    const names = new Set([storeFileName(name)]);
    const read = readTar(readPackedFile(archive, context), {
      archive: archive.name,
      entries: archive.entries,
      isExpected: (file) => names.delete(file),
      refusals: context.refusals,
    });
    for await (const file of read) {
      // The next snapshot may have relied on it.
      if (toDigest(file.content) !== archive.contentSha256)
        throw context.refusals.corrupt(
          `${archive.name} does not hold what the manifest says`,
        );
      for (const batch of parseEntries(file, name, context)) {
        context.signal?.throwIfAborted();
        for (const [index, { key }] of batch.entries.entries())
          counts.add(key, batch.lengths[index] ?? 0);
        const bytes = batch.lengths.reduce((sum, length) => sum + length, 0);
        yield { entries: batch.entries, bytes };
        await nextTurn();
      }
    }
  }
  if (JSON.stringify(counts.result()) !== JSON.stringify(expected))
    throw context.refusals.corrupt(
      `what is stored of "${name}" is not what the manifest says`,
    );
}

/** Reads the files of the home itself. */
export async function* readHomeFiles(
  { archives, hasSecrets }: Manifest,
  context: ReadContext,
): AsyncGenerator<ArchivedFile> {
  const names = new Set(homeFiles(hasSecrets));
  for (const archive of archives) {
    if (archive.namespace !== null) continue;
    const read = readTar(readPackedFile(archive, context), {
      archive: archive.name,
      entries: archive.entries,
      isExpected: (file) => names.delete(file),
      refusals: context.refusals,
    });
    yield* read;
  }
}

function toDigest(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

interface ParsedBatch {
  entries: StoreEntry[];
  /** Of their lines. */
  lengths: number[];
}

function* parseEntries(
  { name, content }: ArchivedFile,
  namespace: string,
  { refusals }: ReadContext,
): Generator<ParsedBatch> {
  let batch: ParsedBatch = { entries: [], lengths: [] };
  for (let start = 0; start < content.length;) {
    const end = content.indexOf(LINE_END, start);
    const entry =
      end < 0 ? undefined : toEntry(content.toString("utf8", start, end));
    if (!entry?.key.startsWith(`${namespace}:`))
      throw refusals.invalid(`a line of ${name} is not an entry of it`);
    batch.entries.push(entry);
    batch.lengths.push(end + 1 - start);
    start = end + 1;
    if (batch.entries.length < BATCH_ENTRIES) continue;
    yield batch;
    batch = { entries: [], lengths: [] };
  }
  if (batch.entries.length > 0) yield batch;
}

function toEntry(line: string): StoreEntry | undefined {
  let json: unknown;
  try {
    json = parseShallow(line);
  } catch {
    return undefined;
  }
  const { key, text, ...rest } = (json ?? {}) as Record<string, unknown>;
  return typeof key === "string" &&
    typeof text === "string" &&
    Object.keys(rest).length === 0
    ? { key, text }
    : undefined;
}
