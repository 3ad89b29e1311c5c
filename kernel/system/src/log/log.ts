import { isGantryError } from "@gantry/plugin";
import type { DaemonLogLine, Log, LogFields } from "@gantry/plugin";
import type { LogRing } from "./log-ring.ts";
import { createRedactor, REDACTED } from "./redact.ts";
import type { Redactor } from "./redact.ts";

/** How much is logged. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

const LEVELS: readonly LogLevel[] = [
  "debug",
  "info",
  "warn",
  "error",
  "silent",
];
const KEPT_FROM = LEVELS.indexOf("info");
/** A value is cut here: a log line is for reading, and a hostile name must not fill the disk. */
const MAX_VALUE_LENGTH = 256;
const MAX_STACK_LENGTH = 8192;
/** Causes behind causes that are told; they may go round in a circle. */
const MAX_CAUSES = 5;
/** What JSON leaves as it is and a reader may take for a line end, or not see at all. */
const UNSEEN = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Where log lines go, one call a line, without the line end. */
export type LogSink = (line: string) => void;

/**
 * Makes logs for the kernel and each plugin: one JSON object a line, so that no value can forge a line, and no secrets
 * in it.
 */
export function createLogFactory({
  level,
  sink,
  ring,
  now,
  redact = createRedactor(),
}: {
  level: LogLevel;
  sink: LogSink;
  /** Where lines are kept for those who ask later, whatever is logged: those of level info and above. */
  ring?: LogRing;
  now: () => string;
  redact?: Redactor;
}) {
  const lowest = LEVELS.indexOf(level);

  function write(
    severity: DaemonLogLine["level"],
    owner: string,
    message: string,
    fields?: LogFields,
    cause?: unknown,
  ): void {
    const rank = LEVELS.indexOf(severity);
    const isWritten = rank >= lowest;
    const isKept = ring !== undefined && (isWritten || rank >= KEPT_FROM);
    if (!isWritten && !isKept) return;
    const at = now();
    const shown = cut(redact(message));
    const details: { [name: string]: unknown } = {};
    for (const [name, value] of Object.entries(fields ?? {}))
      details[name] = toShown(name, value);
    if (cause !== undefined)
      details.cause = cut(redact(describeCause(cause)), MAX_STACK_LENGTH);
    if (isKept)
      ring.add({ at, level: severity, owner, message: shown, fields: details });
    if (!isWritten) return;
    const line = {
      at,
      level: severity,
      from: owner,
      message: shown,
      ...details,
    };
    sink(
      JSON.stringify(line).replace(
        UNSEEN,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
    );
  }

  function toShown(name: string, value: LogFields[string]): unknown {
    if (typeof value === "number" || typeof value === "boolean" || !value)
      return value;
    // Code without types may hand in anything.
    return redact.isSecretName(name) ? REDACTED : cut(redact(String(value)));
  }

  return (owner: string): Log => ({
    debug: (message, fields) => write("debug", owner, message, fields),
    info: (message, fields) => write("info", owner, message, fields),
    warn: (message, fields) => write("warn", owner, message, fields),
    error: (message, fields, cause) =>
      write(
        isLateWrite(cause) ? "info" : "error",
        owner,
        message,
        fields,
        cause,
      ),
  });
}

/** Whether it is a write to a store that is about to be replaced: it would be lost, and that it is refused is no fault. */
function isLateWrite(cause: unknown): boolean {
  return isGantryError(cause) && cause.code === "HOME_REPLACEMENT_PENDING";
}

function cut(text: string, longest = MAX_VALUE_LENGTH): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

function describeCause(cause: unknown, depth = 0): string {
  if (!(cause instanceof Error)) return String(cause);
  const { stack, message, cause: behind } = cause;
  const further =
    behind === undefined || depth >= MAX_CAUSES
      ? ""
      : `\ncaused by ${describeCause(behind, depth + 1)}`;
  return (stack ?? message) + further;
}
