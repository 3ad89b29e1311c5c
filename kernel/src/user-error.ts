/** Something that the user can fix. The message is one line for the terminal, and complete by itself. */
export class UserError extends Error {
  /** What the command ends with, for scripts. */
  readonly exitCode: number = 1;
}
