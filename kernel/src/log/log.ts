import type { Log, LogFields } from "@gantry/plugin";

/** How much is logged. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

const LEVELS: readonly LogLevel[] = [
  "debug",
  "info",
  "warn",
  "error",
  "silent",
];
/** A value is cut here: a log line is for reading, and a hostile name must not fill the disk. */
const LONGEST_VALUE = 256;
const LONGEST_STACK = 8192;

/** Where log lines go, one call a line, without the line end. */
export type LogSink = (line: string) => void;

/** Makes logs for the kernel and each plugin: one JSON object a line, so that no value can forge a line. */
export function createLogFactory({
  level,
  sink,
  now,
}: {
  level: LogLevel;
  sink: LogSink;
  now: () => string;
}) {
  const lowest = LEVELS.indexOf(level);

  function write(
    severity: LogLevel,
    owner: string,
    message: string,
    fields?: LogFields,
    cause?: unknown,
  ): void {
    if (LEVELS.indexOf(severity) < lowest) return;
    const line: { [name: string]: unknown } = {
      at: now(),
      level: severity,
      from: owner,
      message: cut(message),
    };
    for (const [name, value] of Object.entries(fields ?? {})) {
      line[name] = typeof value === "string" ? cut(value) : value;
    }
    if (cause !== undefined) line.cause = describeCause(cause);
    // JSON leaves these two, which some readers take for a line end.
    sink(
      JSON.stringify(line)
        .replaceAll("\u2028", "\\u2028")
        .replaceAll("\u2029", "\\u2029"),
    );
  }

  return (owner: string): Log => ({
    debug: (message, fields) => write("debug", owner, message, fields),
    info: (message, fields) => write("info", owner, message, fields),
    warn: (message, fields) => write("warn", owner, message, fields),
    error: (message, fields, cause) =>
      write("error", owner, message, fields, cause),
  });
}

function cut(text: string, longest = LONGEST_VALUE): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return cut(String(cause));
  const behind =
    cause.cause === undefined
      ? ""
      : `\ncaused by ${describeCause(cause.cause)}`;
  return cut((cause.stack ?? cause.message) + behind, LONGEST_STACK);
}
