import { isLinkWithin } from "@gantry/plugin";
import * as z from "zod";
import { SeenPaths, whyUnsafe } from "./file-path.ts";
import {
  MAX_FILES,
  MAX_LINE_BYTES,
  MAX_TARGET_LENGTH,
  PIECE_BYTES,
} from "./limits.ts";
import { readLines } from "./lines.ts";
import { FORMAT_WITHOUT_LINKS, type Manifest } from "./manifest.ts";
import { OWN_ID, sha256Schema } from "./names.ts";
import { parseShallow } from "./parse-shallow.ts";
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

/** A symbolic link that leads to something in the folder of the same plugin. */
export interface ListedLink {
  plugin: string;
  path: string;
  /** What it says. */
  link: string;
}

/** A folder that is empty, or has other permissions than 0700. */
export interface ListedFolder {
  plugin: string;
  path: string;
  /** Permissions. */
  folder: number;
}

/** A line of the list of files. */
export type ListedEntry = ListedFile | ListedLink | ListedFolder;

const place = {
  plugin: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  path: z.string(),
};
const mode = z.int().min(0).max(0o777);

const listedFile = z.strictObject({
  ...place,
  mode,
  size: z.int().min(0),
  sha256: sha256Schema,
  pieces: z.array(sha256Schema),
});
const listedLink = z.strictObject({
  ...place,
  link: z.string().min(1).max(MAX_TARGET_LENGTH),
});
const listedFolder = z.strictObject({ ...place, folder: mode });

export const isFile = (entry: ListedEntry): entry is ListedFile =>
  "pieces" in entry;
export const isLink = (entry: ListedEntry): entry is ListedLink =>
  "link" in entry;

/** A line of the list. */
export function toListLine(entry: ListedEntry): string {
  if (!isFile(entry)) return `${JSON.stringify(entry)}\n`;
  const { plugin, path, mode: permissions, size, sha256, pieces } = entry;
  const file = { plugin, path, mode: permissions, size, sha256, pieces };
  return `${JSON.stringify(file)}\n`;
}

/**
 * Reads the list of files of a snapshot, and compares it with what the manifest says of it.
 *
 * @param known All pieces of the snapshot.
 * @throws BACKUP_SNAPSHOT_CORRUPT, BACKUP_SNAPSHOT_INVALID for a path that is not safe, BACKUP_SNAPSHOT_TOO_LARGE
 */
export async function* readFileList(
  { files, format }: Manifest,
  known: PieceSizes,
  context: ReadContext,
): AsyncGenerator<ListedEntry> {
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
    const entry = parseLine(line, format, context);
    const shown = JSON.stringify(`${entry.plugin}/${entry.path}`.slice(0, 120));
    const reason = whyRefused(entry, seen);
    if (reason !== undefined)
      throw refusals.invalid(`of the file ${shown}: ${reason}`);
    counts.add(entry);
    if (isFile(entry))
      for (const piece of entry.pieces) {
        if (!known.has(piece))
          throw refusals.corrupt(`a piece of ${shown} is in no list`);
        used.add(piece);
      }
    if (counts.files > files.count || counts.bytes > files.bytes)
      throw refusals.tooLarge(`${list.name} lists more than the manifest says`);
    if (counts.entries > MAX_FILES)
      throw refusals.tooLarge(
        `${list.name} lists more than ${MAX_FILES} files`,
      );
    yield entry;
  }
  const isComplete =
    counts.files === files.count &&
    counts.bytes === files.bytes &&
    used.size === known.size &&
    JSON.stringify(counts.byPlugin()) === JSON.stringify(files.byPlugin);
  if (!isComplete)
    throw refusals.corrupt(`${list.name} does not list what the manifest says`);
}

/** Why an entry is none that is made, or cannot stand beside those before it. */
function whyRefused(entry: ListedEntry, seen: SeenPaths): string | undefined {
  const { plugin, path } = entry;
  if (plugin === OWN_ID) return "files of the backup are in no snapshot";
  const unsafe = whyUnsafe(path);
  if (unsafe !== undefined) return unsafe;
  if ("folder" in entry) return seen.addFolder(plugin, path);
  const reason = seen.add(plugin, path);
  if (reason !== undefined) return reason;
  if (isLink(entry))
    return isLinkWithin(path, entry.link)
      ? undefined
      : "it is a link that leads out of its folder";
  return entry.pieces.length === Math.ceil(entry.size / PIECE_BYTES)
    ? undefined
    : "its size is not that of its pieces";
}

function parseLine(
  line: string,
  format: number,
  { refusals }: ReadContext,
): ListedEntry {
  let json: unknown;
  try {
    json = parseShallow(line);
  } catch (error) {
    throw refusals.invalid("a line of the list of files is not JSON", error);
  }
  const result = schemaOf(json, format).safeParse(json);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join(".") ?? "";
  throw refusals.invalid(
    `in a line of the list of files, "${path}" does not fit`,
    result.error,
  );
}

function schemaOf(json: unknown, format: number): z.ZodType<ListedEntry> {
  if (format === FORMAT_WITHOUT_LINKS) return listedFile;
  const members = Object.keys(json ?? {});
  if (members.includes("link")) return listedLink;
  return members.includes("folder") ? listedFolder : listedFile;
}

/** Counts files by plugin. */
export class FileCounts {
  readonly #plugins = new Map<string, { files: number; bytes: number }>();
  files = 0;
  bytes = 0;
  /** Files, links and folders. */
  entries = 0;

  add(entry: ListedEntry): void {
    const { plugin } = entry;
    const counts = this.#plugins.get(plugin) ?? { files: 0, bytes: 0 };
    this.entries++;
    if (isFile(entry)) {
      this.files++;
      this.bytes += entry.size;
      counts.files++;
      counts.bytes += entry.size;
    }
    this.#plugins.set(plugin, counts);
  }

  byPlugin(): Manifest["files"]["byPlugin"] {
    return [...this.#plugins]
      .map(([plugin, counts]) => ({ plugin, ...counts }))
      .sort((one, other) => (one.plugin < other.plugin ? -1 : 1));
  }
}
