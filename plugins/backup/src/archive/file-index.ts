import { createHash } from "node:crypto";
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { FoundFile } from "./find-files.ts";
import type { CopiedContent } from "./copy-file.ts";
import { MAX_LINE_BYTES } from "./limits.ts";
import { readLines } from "./lines.ts";
import { sha256Schema } from "./names.ts";
import { openPlainFile } from "./plain-file.ts";

const INDEX_FILE = "files-index.ndjson";
const BATCH_CHARS = 256 * 1024;
/** A file that was changed so shortly before it was read may be changed again without any change of its times. */
const RACY_MS = 2_000;

/** What a file held when it had a stamp. */
interface IndexedFile extends CopiedContent {
  stamp: string;
}

const header = z.strictObject({ snapshotId: z.string() });
const indexLine = z.tuple([
  z.string(),
  z.string(),
  z.int(),
  sha256Schema,
  z.array(sha256Schema),
]);
const trailer = z.strictObject({ sha256: sha256Schema });

/** Content of files by path, as the last snapshot read it. */
export type FileIndex = ReadonlyMap<string, IndexedFile>;

const keyOf = ({ plugin, path }: Pick<FoundFile, "plugin" | "path">) =>
  `${plugin}/${path}`;

/** What an unchanged file holds; `undefined` if it is new or changed. */
export function findUnchanged(
  index: FileIndex,
  file: FoundFile,
): CopiedContent | undefined {
  const known = index.get(keyOf(file));
  return known?.stamp === file.stamp ? known : undefined;
}

/**
 * Reads the index that was written with a snapshot. It is empty if it belongs to another one or is not what was written: then files
 * are read again, and nothing is lost but time.
 */
export async function readFileIndex(
  folder: string,
  snapshotId: string,
): Promise<FileIndex> {
  const file = await openPlainFile(join(folder, INDEX_FILE)).catch(() => {});
  if (!file) return new Map();
  try {
    return await parseIndex(file, snapshotId);
  } catch {
    return new Map();
  } finally {
    await file.close();
  }
}

async function parseIndex(
  file: FileHandle,
  snapshotId: string,
): Promise<FileIndex> {
  const index = new Map<string, IndexedFile>();
  const hash = createHash("sha256");
  const source = file.createReadStream({
    autoClose: false,
    highWaterMark: BATCH_CHARS,
  }) as AsyncIterable<Buffer>;
  const tooLong = () => new Error("A line is too long.");
  let isFirst = true;
  let previous: string | undefined;
  for await (const line of readLines(source, MAX_LINE_BYTES, tooLong)) {
    if (previous !== undefined) {
      hash.update(`${previous}\n`);
      if (isFirst) {
        if (header.parse(JSON.parse(previous)).snapshotId !== snapshotId)
          return new Map();
        isFirst = false;
      } else {
        const [key, stamp, size, sha256, pieces] = indexLine.parse(
          JSON.parse(previous),
        );
        index.set(key, { stamp, size, sha256, pieces });
      }
    }
    previous = line;
  }
  const { sha256 } = trailer.parse(JSON.parse(previous ?? ""));
  return sha256 === hash.digest("hex") ? index : new Map();
}

/** Writes the index of a snapshot, which takes the place of the last one when the snapshot is whole. */
export class FileIndexWriter {
  readonly #folder: string;
  readonly #file: FileHandle;
  readonly #hash = createHash("sha256");
  /** By the clock that files get their times from. */
  readonly #startedMs: number;
  #batch = "";

  private constructor(folder: string, file: FileHandle, startedMs: number) {
    this.#folder = folder;
    this.#file = file;
    this.#startedMs = startedMs;
  }

  static async create(
    folder: string,
    snapshotId: string,
  ): Promise<FileIndexWriter> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${INDEX_FILE}.tmp`);
    await rm(path, { force: true });
    const file = await open(path, "wx", 0o600);
    const { mtimeMs } = await file.stat();
    const writer = new FileIndexWriter(folder, file, mtimeMs);
    await writer.#write(JSON.stringify({ snapshotId }));
    return writer;
  }

  async add(
    file: FoundFile,
    { size, sha256, pieces }: CopiedContent,
  ): Promise<void> {
    if (file.changedMs > this.#startedMs - RACY_MS) return;
    await this.#write(
      JSON.stringify([keyOf(file), file.stamp, size, sha256, pieces]),
    );
  }

  /** Puts it in place. */
  async commit(): Promise<void> {
    await this.#flush();
    const sha256 = this.#hash.digest("hex");
    await this.#file.appendFile(`${JSON.stringify({ sha256 })}\n`);
    await this.#file.close();
    const path = join(this.#folder, INDEX_FILE);
    await rename(`${path}.tmp`, path);
  }

  /** Gives it up; the last one stays. */
  async abort(): Promise<void> {
    await this.#file.close();
    await rm(join(this.#folder, `${INDEX_FILE}.tmp`), { force: true });
  }

  async #write(line: string): Promise<void> {
    this.#batch += `${line}\n`;
    if (this.#batch.length > BATCH_CHARS) await this.#flush();
  }

  async #flush(): Promise<void> {
    const batch = Buffer.from(this.#batch);
    this.#batch = "";
    this.#hash.update(batch);
    await this.#file.appendFile(batch);
  }
}
