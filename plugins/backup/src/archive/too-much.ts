import type { FoundFile, FoundFiles } from "./find-files.ts";
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

type Sizes = Pick<FoundFile, "size" | "allocatedBytes">;

/** What a file takes in a snapshot at most: content takes no more room there than on the disk. */
function roomOf({ size, allocatedBytes }: Sizes): number {
  return Math.min(size, Math.max(allocatedBytes, UNCOUNTED_BYTES));
}

/** Why a file is left out that is not read yet, as its room on the disk tells. */
export function whyTooMuch(file: Sizes, written: Written): string | undefined {
  if (written.files >= MAX_FILES) return TOO_MANY;
  return whyNextToEmpty(file.size, roomOf(file), written);
}

/**
 * Why content is left out: readers refuse a snapshot that says that it holds far more than it could. Files with large holes are
 * such.
 *
 * @param room Bytes that it adds to what is stored.
 */
export function whyNextToEmpty(
  size: number,
  room: number,
  { bytes, storedBytes }: Omit<Written, "files">,
): string | undefined {
  const sum = { bytes: storedBytes + room, unpackedBytes: bytes + size };
  return isBomb(sum, FREE_CONTENT_BYTES)
    ? "it is very large and next to empty"
    : undefined;
}

/**
 * What a snapshot will leave out for {@link whyTooMuch}, as far as can be told without compressing it.
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
  for (const file of files) {
    if (whyTooMuch(file, written) !== undefined) {
      paths.push(`${file.plugin}/${file.path}`);
      continue;
    }
    written.files++;
    written.bytes += file.size;
    written.storedBytes += roomOf(file);
  }
  const places = Math.max(MAX_FILES - written.files, 0);
  for (const { plugin, path } of [...links, ...folders].slice(places))
    paths.push(`${plugin}/${path}`);
  return paths;
}
