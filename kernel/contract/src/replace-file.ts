import { open, rm } from "node:fs/promises";
import { toDraftPath } from "./draft-names.ts";
import { flush, placeFile } from "./place-file.ts";

/**
 * Writes a whole file so that a crash leaves the old one or the new one, never a part: a temporary file in the same
 * folder, readable by the user alone, then {@link placeFile}. What a killed process leaves of it goes with `removeLeftDrafts`.
 *
 * @param isFlushed Whether that also holds for a crash of the machine, and not only of this process.
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  { isFlushed = true } = {},
): Promise<void> {
  const draft = toDraftPath(file);
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(content);
      if (isFlushed) await flush(handle);
    } finally {
      await handle.close();
    }
    await placeFile(draft, file, { isFlushed });
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
