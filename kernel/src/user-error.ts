/** Something that the user can mend. The message is one line for the terminal, and says all that there is to say. */
export class UserError extends Error {
  /** What the command ends with, for scripts. */
  readonly exitCode: number = 1;
}
