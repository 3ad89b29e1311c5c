/** Fields of a log line. Values are escaped and cut; secrets do not belong here. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined>
>;

/** Writes lines to the daemon's log, each with the plugin's name. */
export interface Log {
  /** For a developer who looks for a fault. Not written at the default level. */
  debug(message: string, fields?: LogFields): void;
  /** For what an operator may want to read: a start, a change of state. */
  info(message: string, fields?: LogFields): void;
  /** For what went wrong and was recovered from. */
  warn(message: string, fields?: LogFields): void;
  /** `cause` is logged with its stack. */
  error(
    message: string,
    fields?: LogFields & { cause?: never },
    cause?: unknown,
  ): void;
}
