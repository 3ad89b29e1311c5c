import * as z from "zod";
import { SeenPaths, whyUnsafe } from "./file-path.ts";
import { MAX_FILES, MAX_LINE_BYTES, PIECE_BYTES } from "./limits.ts";
import { readLines } from "./lines.ts";
import type { Manifest } from "./manifest.ts";
import { sha256Schema } from "./names.ts";
import { readPackedFile, type ReadContext } from "./packed-file-reader.ts";
import type { PieceSizes } from "./piece-store.ts";

/** A file of a plugin, and the pieces that it is made of. */
export interface ListedFile {
  plugin: string;
  /** Relative to the plugin's folder, with `/`. */
  path: string;
  /** Permissions. */
  mode: number;
  size: number;
  sha256: string;
  /** Digests of its pieces, in order; all but the last have 4 MiB. */
  pieces: string[];
}

const listedFile = z.strictObject({
  plugin: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  path: z.string(),
  mode: z.int().min(0).max(0o777),
  size: z.int().min(0),
  sha256: sha256Schema,
  pieces: z.array(sha256Schema),
});

/** A line of the list. */
export function toListLine(file: ListedFile): string {
  const { plugin, path, mode, size, sha256, pieces } = file;
  return `${JSON.stringify({ plugin, path, mode, size, sha256, pieces })}\n`;
}

/**
 * Reads the list of files of a snapshot, and compares it with what the manifest says of it.
 *
 * @param known All pieces of the snapshot.
 * @throws BACKUP_SNAPSHOT_CORRUPT, BACKUP_SNAPSHOT_INVALID for a path that is not safe, BACKUP_SNAPSHOT_TOO_LARGE
 */
export async function* readFileList(
  { files }: Manifest,
  known: PieceSizes,
  context: ReadContext,
): AsyncGenerator<ListedFile> {
  const { refusals } = context;
  const { list } = files;
  const tooLong = () => refusals.tooLarge(`a line of ${list.name} is too long`);
  const lines = readLines(
    readPackedFile(list, context),
    MAX_LINE_BYTES,
    tooLong,
  );
  const seen = new SeenPaths();
  const counts = new FileCounts();
  const used = new Set<string>();
  for await (const line of lines) {
    const file = parseLine(line, context);
    const shown = JSON.stringify(`${file.plugin}/${file.path}`.slice(0, 120));
    const reason = whyUnsafe(file.path) ?? seen.add(file.plugin, file.path);
    if (reason !== undefined)
      throw refusals.invalid(`of the file ${shown}: ${reason}`);
    if (file.pieces.length !== Math.ceil(file.size / PIECE_BYTES))
      throw refusals.invalid(`the size of ${shown} is not that of its pieces`);
    for (const piece of file.pieces) {
      if (!known.has(piece))
        throw refusals.corrupt(`a piece of ${shown} is in no list`);
      used.add(piece);
    }
    counts.add(file);
    if (counts.files > files.count || counts.bytes > files.bytes)
      throw refusals.tooLarge(`${list.name} lists more than the manifest says`);
    if (counts.files > MAX_FILES)
      throw refusals.tooLarge(
        `${list.name} lists more than ${MAX_FILES} files`,
      );
    yield file;
  }
  const isComplete =
    counts.files === files.count &&
    counts.bytes === files.bytes &&
    used.size === known.size &&
    JSON.stringify(counts.byPlugin()) === JSON.stringify(files.byPlugin);
  if (!isComplete)
    throw refusals.corrupt(`${list.name} does not list what the manifest says`);
}

function parseLine(line: string, { refusals }: ReadContext): ListedFile {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (error) {
    throw refusals.invalid("a line of the list of files is not JSON", error);
  }
  const result = listedFile.safeParse(json);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join(".") ?? "";
  throw refusals.invalid(
    `in a line of the list of files, "${path}" does not fit`,
    result.error,
  );
}

/** Counts files by plugin. */
export class FileCounts {
  readonly #plugins = new Map<string, { files: number; bytes: number }>();
  files = 0;
  bytes = 0;

  add({ plugin, size }: { plugin: string; size: number }): void {
    this.files++;
    this.bytes += size;
    const counts = this.#plugins.get(plugin) ?? { files: 0, bytes: 0 };
    counts.files++;
    counts.bytes += size;
    this.#plugins.set(plugin, counts);
  }

  byPlugin(): Manifest["files"]["byPlugin"] {
    return [...this.#plugins]
      .map(([plugin, counts]) => ({ plugin, ...counts }))
      .sort((one, other) => (one.plugin < other.plugin ? -1 : 1));
  }
}
