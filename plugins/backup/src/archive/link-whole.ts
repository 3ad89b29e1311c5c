import { link, rm } from "node:fs/promises";
import { cannotLink } from "@gantry/plugin/files";
import { hashFile } from "./packed-file-reader.ts";
import { openPlainFile } from "./plain-file.ts";
import { codeOf } from "./refusals.ts";

/** How a file was written. */
interface WrittenFile {
  bytes: number;
  sha256: string;
}

/**
 * Gives a file of an earlier snapshot a second name, if it is still what was written.
 *
 * @returns whether it did; nothing is left otherwise
 */
export async function linkWhole(
  from: string,
  to: string,
  written: WrittenFile,
): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    // It may also have gone away.
    if (cannotLink(error) || codeOf(error) === "ENOENT") return false;
    throw error;
  }
  if (await isWhole(to, written)) return true;
  // The file was changed from outside and is useless.
  await rm(to);
  return false;
}

async function isWhole(
  path: string,
  { bytes, sha256 }: WrittenFile,
): Promise<boolean> {
  const file = await openPlainFile(path);
  if (!file) return false;
  try {
    const { size } = await file.stat();
    return size === bytes && (await hashFile(file, size)) === sha256;
  } finally {
    await file.close();
  }
}
