const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Content of a plugin's file that is kept as one. */
export const PIECE_BYTES = 4 * MIB;
/** A piece as it is stored: what does not compress gets a little longer, and longer still when it is encrypted. */
export const MAX_STORED_PIECE_BYTES = PIECE_BYTES + 256 * KIB;

/** Approximate size of a part of the store. */
export const PART_BYTES = MIB;
export const MIN_PART_BYTES = 256 * KIB;
/** Only a part with a single large entry is larger. */
export const MAX_PART_BYTES = 4 * MIB;
export const MAX_ARCHIVED_FILE_BYTES = 256 * MIB;
export const MAX_ARCHIVES = 20_000;
export const MAX_ARCHIVE_BYTES = 2 * GIB;

/** Most that an archive may unpack to, as a multiple of its size, once it is larger than {@link FREE_BYTES}. */
export const MAX_RATIO = 200;
export const FREE_BYTES = 16 * MIB;
/** The same for the files of plugins altogether: a file with holes is legal, a hundred of them are not. */
export const FREE_CONTENT_BYTES = 16 * GIB;

export const MAX_MANIFEST_BYTES = 16 * MIB;
export const MAX_FILES = 1_000_000;
/** What a link says. */
export const MAX_TARGET_LENGTH = 4096;
/** A line of a list of files: enough for the pieces of a file of 2 TiB. */
export const MAX_LINE_BYTES = 64 * MIB;
export const MAX_LIST_BYTES = 2 * GIB;
export const MAX_KEY_FILE_BYTES = 64 * KIB;

/** Whether something that takes so little room cannot be so large. */
export function isBomb(
  { bytes, unpackedBytes }: { bytes: number; unpackedBytes: number },
  freeBytes = FREE_BYTES,
): boolean {
  return unpackedBytes > freeBytes && unpackedBytes > bytes * MAX_RATIO;
}
