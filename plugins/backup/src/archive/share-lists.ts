import { createHash } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { createDecryption } from "./age.ts";
import { linkWhole } from "./link-whole.ts";
import type { Manifest } from "./manifest.ts";
import { readPackedFile } from "./packed-file-reader.ts";
import { createRefusals } from "./refusals.ts";
import type { WrittenFiles } from "./write-files.ts";

type Lists = Pick<Manifest["files"], "list" | "pieceList">;
type StoredFile = Lists["pieceList"];

/** A snapshot for the same key, and its lists. */
export interface ListedFiles {
  /** Folder of the snapshot. */
  path: string;
  id: string;
  files: Lists;
}

/** The snapshot that is written. */
export interface SharingSnapshot {
  folder: string;
  /** Secret half of the key that it is encrypted to, if it is known. */
  identity: string | undefined;
  signal: AbortSignal;
}

/**
 * Puts the lists of the last snapshot in the place of equal ones that were just written, as second names: with many files that do
 * not change, lists are most of what a snapshot takes.
 *
 * @returns both lists as they are now, and those that are not shared
 */
export async function shareLists(
  { files: { list, pieceList }, linesSha256 }: WrittenFiles,
  last: ListedFiles | undefined,
  snapshot: SharingSnapshot,
): Promise<Lists & { added: StoredFile[] }> {
  if (!last) return { list, pieceList, added: [list, pieceList] };
  const earlier = last.files;
  const added: StoredFile[] = [];
  const share = async <File extends StoredFile>(
    written: File,
    known: File,
    isSame: boolean,
  ): Promise<File> => {
    const place = join(snapshot.folder, written.name);
    const link = `${place}.shared`;
    if (isSame && (await linkWhole(join(last.path, known.name), link, known))) {
      await rename(link, place);
      return known;
    }
    added.push(written);
    return written;
  };
  const hasSameLines =
    earlier.list.sha256 === list.sha256 ||
    (earlier.list.unpackedBytes === list.unpackedBytes &&
      (await readLinesSha256(last, snapshot)) === linesSha256);
  return {
    list: await share(list, earlier.list, hasSameLines),
    pieceList: await share(
      pieceList,
      earlier.pieceList,
      earlier.pieceList.sha256 === pieceList.sha256,
    ),
    added,
  };
}

/**
 * Digest of what an encrypted list holds: each has a key of its own, so that equal ones differ as they are stored. Nothing but the
 * list itself is believed, since a list that is shared wrongly makes a snapshot that cannot be restored.
 *
 * @returns `undefined` if it cannot be read
 */
async function readLinesSha256(
  { path, id, files }: ListedFiles,
  { identity, signal }: SharingSnapshot,
): Promise<string | undefined> {
  if (identity === undefined) return undefined;
  const context = {
    ...{ path, signal },
    refusals: createRefusals(id),
    decryption: createDecryption(identity),
  };
  const hash = createHash("sha256");
  try {
    for await (const chunk of readPackedFile(files.list, context))
      hash.update(chunk);
    return hash.digest("hex");
  } catch {
    signal.throwIfAborted();
    // Then the new list stays, whatever is wrong with that one.
    return undefined;
  }
}
