import { errors } from "../errors.ts";
import { readFileList } from "./file-list.ts";
import type { Manifest } from "./manifest.ts";
import { openWhole, type ReadContext } from "./packed-file-reader.ts";
import type { PackedFile } from "./packed-file-writer.ts";
import { readPieceList } from "./piece-list.ts";
import type { PieceStore } from "./piece-store.ts";
import type { Refusals } from "./refusals.ts";

type WrittenFile = Omit<PackedFile, "unpackedBytes">;

/**
 * Reads what was written of a snapshot back and compares it with the manifest that it is about to get, new pieces with what they
 * were made of, and new lists also with each other. The list of files of an encrypted snapshot is compared as it is stored, since
 * its secret key may not be here.
 *
 * @param written Folder of the snapshot, the folder that was chosen, the newly written files, and the pieces.
 * @throws BACKUP_FOLDER_UNAVAILABLE if the disk did not keep what was written
 */
export async function checkWritten(
  manifest: Manifest,
  {
    path,
    folder,
    added,
    pieces,
  }: {
    path: string;
    folder: string;
    added: readonly WrittenFile[];
    pieces: Pick<PieceStore, "findDamaged">;
  },
  signal: AbortSignal,
): Promise<void> {
  const { files, isEncrypted } = manifest;
  const context: ReadContext = { path, signal, refusals: refusalsOf(folder) };
  const damaged = await pieces.findDamaged(signal);
  if (damaged !== undefined)
    throw context.refusals.corrupt(
      `the piece ${damaged} is not what was written`,
    );
  for (const file of added) await (await openWhole(file, context)).close();
  if (!added.includes(files.list) && !added.includes(files.pieceList)) return;
  const known = await readPieceList(manifest, context);
  if (isEncrypted) return;
  for await (const { plugin } of readFileList(manifest, known, context))
    void plugin;
}

/** Whatever is wrong with what was just written, it is its disk's fault. */
function refusalsOf(folder: string): Refusals {
  const refuse = (problem: string, cause?: unknown) => {
    const reason = `it does not keep what is written to it (${problem})`;
    return errors.BACKUP_FOLDER_UNAVAILABLE({ folder, reason }, { cause });
  };
  return { corrupt: refuse, invalid: refuse, tooLarge: refuse };
}
