import { createHash } from "node:crypto";
import { join } from "node:path";
import { MAX_LIST_BYTES, MAX_STORED_PIECE_BYTES } from "./limits.ts";
import { readLines } from "./lines.ts";
import type { Manifest } from "./manifest.ts";
import { PIECE_LIST_FILE } from "./names.ts";
import { openWhole, type ReadContext } from "./packed-file-reader.ts";
import type { PieceSizes } from "./piece-store.ts";
import { openPlainFile, writeNewFile } from "./plain-file.ts";
import { toFolderError } from "./refusals.ts";

/** `<digest>  <bytes as stored>`, which needs no key to be read: a collector has to know what is used. */
const LINE = /^([0-9a-f]{64}) {2}(0|[1-9]\d{0,9})$/;
const MAX_LINE_BYTES = 100;
const READ_BYTES = 256 * 1024;

/** Writes the list of a snapshot's pieces into its folder. */
export async function writePieceList(
  folder: string,
  sizes: PieceSizes,
): Promise<Manifest["files"]["pieceList"]> {
  const text = [...sizes]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([sha256, bytes]) => `${sha256}  ${bytes}\n`)
    .join("");
  await writeNewFile(join(folder, PIECE_LIST_FILE), text);
  return {
    name: PIECE_LIST_FILE,
    sha256: createHash("sha256").update(text).digest("hex"),
    bytes: Buffer.byteLength(text),
  };
}

/**
 * Reads the list of a snapshot's pieces, and compares it with what the manifest says.
 *
 * @throws BACKUP_SNAPSHOT_CORRUPT, BACKUP_SNAPSHOT_INVALID, BACKUP_SNAPSHOT_TOO_LARGE
 */
export async function readPieceList(
  { files }: Manifest,
  context: ReadContext,
): Promise<PieceSizes> {
  const { refusals } = context;
  const { pieceList, pieces, storedBytes } = files;
  const { name } = pieceList;
  if (pieceList.bytes > MAX_LIST_BYTES)
    throw refusals.tooLarge(`${name} has ${pieceList.bytes} bytes`);
  const invalid = () => refusals.invalid(`${name} is not a list of pieces`);
  const file = await openWhole(pieceList, context);
  const sizes = new Map<string, number>();
  let total = 0;
  try {
    const source = file.createReadStream({
      start: 0,
      autoClose: false,
      highWaterMark: READ_BYTES,
    }) as AsyncIterable<Buffer>;
    for await (const line of readLines(source, MAX_LINE_BYTES, invalid)) {
      const [, sha256 = "", bytes = ""] = LINE.exec(line) ?? [];
      if (!sha256 || sizes.has(sha256)) throw invalid();
      if (Number(bytes) > MAX_STORED_PIECE_BYTES)
        throw refusals.tooLarge(`the piece ${sha256} has ${bytes} bytes`);
      sizes.set(sha256, Number(bytes));
      total += Number(bytes);
    }
  } finally {
    await file.close();
  }
  if (sizes.size !== pieces || total !== storedBytes)
    throw refusals.corrupt(`${name} does not list what the manifest says`);
  return sizes;
}

/**
 * Adds all digests in a list, whether or not the list is what was written: a collector keeps rather too much.
 *
 * @returns whether there is a list
 */
export async function addDigests(
  folder: string,
  digests: Set<string>,
): Promise<boolean> {
  const file = await openPlainFile(join(folder, PIECE_LIST_FILE)).catch(
    (error: unknown) => {
      throw toFolderError(error, folder);
    },
  );
  if (!file) return false;
  try {
    const source = file.createReadStream({
      autoClose: false,
      highWaterMark: READ_BYTES,
    }) as AsyncIterable<Buffer>;
    const noList = new Error("It is no list.");
    for await (const line of readLines(source, MAX_LINE_BYTES, () => noList)) {
      const [, sha256] = LINE.exec(line) ?? [];
      if (!sha256) return false;
      digests.add(sha256);
    }
    return true;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
