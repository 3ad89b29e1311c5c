/** What a snapshot may cost; a folder that is larger has no checkpoints. */
export const MAX_FILES = 50_000;
/** A larger file is left as it was when it was kept last, or left out. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Bytes of new and changed files in one snapshot. */
export const MAX_NEW_BYTES = 512 * 1024 * 1024;
/** A turn begins without a snapshot that is not done by then. */
export const MAX_WAIT_MS = 10_000;
/** The work on a snapshot continues for so long, so that the next one is quick. */
export const MAX_WORK_MS = 60_000;
/** A folder that was too large is not looked at again for so long. */
export const RETRY_MS = 10 * 60_000;

/** Turns that are kept of an agent. The same limit holds for its restores and its discards. */
export const MAX_TURNS = 50;
export const MAX_AGE_MS = 14 * 24 * 60 * 60 * 1000;
/** Size of what is kept of one folder; the older half of the turns goes until it fits. */
export const MAX_REPOSITORY_BYTES = 1024 * 1024 * 1024;
/** Size of all; the folders that were worked in longest ago go. */
export const MAX_TOTAL_BYTES = 5 * 1024 * 1024 * 1024;
