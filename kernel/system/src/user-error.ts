/** Something that the user can fix. The message is one line for the terminal, and complete by itself. */
export class UserError extends Error {
  /** What the command ends with, for scripts. */
  readonly exitCode: number = 1;
}

/** A mistake in a flag, a variable or a setting. */
export class ConfigError extends UserError {
  override readonly exitCode = 2;
}

/** Whether an error is worded for the user. One of a library that knows no kernel package has an `exitCode` all the same. */
export const isUserError = (error: unknown): error is UserError =>
  error instanceof Error && "exitCode" in error;
