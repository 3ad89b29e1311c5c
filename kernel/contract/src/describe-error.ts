/** What a fault of the system means for a user, by its code. */
const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: "A file or folder of the daemon may not be opened.",
  EDQUOT: "The disk is full.",
  EMFILE: "The daemon has too many files open.",
  ENFILE: "The machine has too many files open.",
  ENOENT: "A file or folder of the daemon is not there any more.",
  ENOSPC: "The disk is full.",
  EPERM: "A file or folder of the daemon may not be changed.",
  EROFS: "The disk of the daemon cannot be written.",
};

/**
 * Why something failed, in words that a client may see: for a `reason` that is stored or answered. The message of an
 * error is taken as it is, except for a fault of the system, whose message names an errno and a path of the machine; log
 * that one.
 *
 * @example catch (error) { await settle(task, "failed", describeError(error)); }
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined) return error.message;
  return Object.hasOwn(MEANINGS, code)
    ? MEANINGS[code]!
    : "The system refused an operation of the daemon; its log tells which.";
}
