/** A problem that the user can fix. The message is one line for the terminal and needs no further explanation. */
export class UserError extends Error {
  /** The command's exit code, for scripts. */
  readonly exitCode: number = 1;
}

/** A mistake in the user's input. */
export class ConfigError extends UserError {
  override readonly exitCode = 2;
}
