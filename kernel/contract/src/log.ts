/** Fields of a log line. Values are escaped and truncated. Never log a secret. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined>
>;

/** Writes lines to the daemon's log, each labelled with the plugin's id. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** Also logs the stack of `cause`. */
  error(
    message: string,
    fields?: LogFields & { cause?: never },
    cause?: unknown,
  ): void;
}
