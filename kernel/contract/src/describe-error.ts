/** User-facing messages for system errors, by errno code. */
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
 * Returns the message of an error for a client, such as a stored `reason`. The message of a system error is replaced, since it
 * contains an errno and a path of the machine; log the original.
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
