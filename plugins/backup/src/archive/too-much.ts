import type { FoundFiles } from "./find-files.ts";
import { FREE_CONTENT_BYTES, isBomb, MAX_FILES } from "./limits.ts";

export const TOO_MANY = `there are more than ${MAX_FILES} files`;

/** Room that a disk may use for a small file without counting a block. */
const UNCOUNTED_BYTES = 4096;

/** What of a snapshot is written already. */
interface Written {
  files: number;
  bytes: number;
  storedBytes: number;
}

/** Why a file is left out: readers refuse what says that it holds far more than it could. Files with large holes are such. */
export function whyTooMuch(
  size: number,
  { files, bytes, storedBytes }: Written,
): string | undefined {
  if (files >= MAX_FILES) return TOO_MANY;
  const unpackedBytes = bytes + size;
  return isBomb({ bytes: storedBytes, unpackedBytes }, FREE_CONTENT_BYTES)
    ? "it is very large and next to empty"
    : undefined;
}

/**
 * What a snapshot will leave out for {@link whyTooMuch}, as far as can be told without compressing it: content takes no more room in a
 * snapshot than on the disk.
 *
 * @returns paths, relative to the folder of all plugins
 */
export function foreseeTooMuch({
  files,
  links,
  folders,
}: FoundFiles): string[] {
  const written: Written = { files: 0, bytes: 0, storedBytes: 0 };
  const paths: string[] = [];
  for (const { plugin, path, size, allocatedBytes } of files) {
    if (whyTooMuch(size, written) !== undefined) {
      paths.push(`${plugin}/${path}`);
      continue;
    }
    written.files++;
    written.bytes += size;
    const room = Math.max(allocatedBytes, UNCOUNTED_BYTES);
    written.storedBytes += Math.min(size, room);
  }
  const places = Math.max(MAX_FILES - written.files, 0);
  for (const { plugin, path } of [...links, ...folders].slice(places))
    paths.push(`${plugin}/${path}`);
  return paths;
}
