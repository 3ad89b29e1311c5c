import { errors } from "../errors.ts";
import { readFileList } from "./file-list.ts";
import type { Manifest } from "./manifest.ts";
import { openWhole, type ReadContext } from "./packed-file-reader.ts";
import { readPieceList } from "./piece-list.ts";
import type { Refusals } from "./refusals.ts";

/**
 * Reads what was written of a snapshot back and compares it with the manifest that it is about to get: all archives, and both lists
 * with each other. The list of files of an encrypted snapshot is compared as it is stored, since its secret key may not be here.
 *
 * @param place Folder of the snapshot, and the folder that was chosen.
 * @throws BACKUP_FOLDER_UNAVAILABLE if the disk did not keep what was written
 */
export async function checkWritten(
  manifest: Manifest,
  { path, folder }: { path: string; folder: string },
  signal: AbortSignal,
): Promise<void> {
  const { archives, files, isEncrypted } = manifest;
  const context: ReadContext = { path, signal, refusals: refusalsOf(folder) };
  for (const archive of archives)
    await (await openWhole(archive, context)).close();
  const known = await readPieceList(manifest, context);
  if (isEncrypted) await (await openWhole(files.list, context)).close();
  else
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
