/** Fields of a log line. Values are escaped and cut; secrets do not belong here. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined>
>;

/** Writes lines to the daemon's log, each with the plugin's name. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** `cause` is logged with its stack. */
  error(
    message: string,
    fields?: LogFields & { cause?: never },
    cause?: unknown,
  ): void;
}
