import { stripVTControlCharacters } from "node:util";
import { errors } from "../errors.ts";
import { explainBlocked, type Gh, type GhResult } from "./gh.ts";
import { showName, toPlainText } from "../plain-text.ts";

const TIMEOUT_MS = 30_000;
const MAX_LINES = 200;
const MAX_BYTES = 32 * 1024;
/** With what `gh` puts before each line, and with codes for colours. */
const MAX_READ_BYTES = 8 * MAX_BYTES;
/** Job, step and time, of which the first line has a byte order mark before the time. */
const START =
  /^[^\t]*\t[^\t]*\t(?:\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?)?/;

/** The end of a failed check's log. */
export interface CheckLog {
  check: string;
  text: string;
  /** Whether there is more before it. */
  truncated: boolean;
}

/**
 * Reads the end of the log of a job's failed steps.
 *
 * @param place The repository that the job belongs to.
 * @throws CHECK_LOG_NOT_FOUND, AGENT_TOOL_MISSING, TOOL_FAILED, TOOL_TIMEOUT
 */
export async function readCheckLog(
  gh: Gh,
  place: string,
  { check, job }: { check: string; job: string },
): Promise<CheckLog> {
  const result = await gh.askForEnd(
    ["run", "view", `--job=${job}`, "--log-failed", `--repo=${place}`],
    { timeoutMs: TIMEOUT_MS, maxBytes: MAX_READ_BYTES },
  );
  if (result.code !== 0) {
    const reason = explain(result.stderr);
    throw reason === undefined
      ? errors.TOOL_FAILED({ tool: "gh" })
      : logNotFound(check, reason);
  }
  const log = cutLog(result);
  if (log.text === "")
    throw logNotFound(check, "None of its failed steps printed anything.");
  return { check, ...log };
}

/** @param reason A sentence. */
export function logNotFound(check: string, reason: string) {
  return errors.CHECK_LOG_NOT_FOUND({ check: showName(check), reason });
}

function explain(stderr: string): string | undefined {
  if (/still in progress/i.test(stderr))
    return "Its run has not ended yet; there is a log when it has.";
  if (/log not found|HTTP 404|HTTP 410/i.test(stderr))
    return "GitHub has none, or has deleted it, or does not show it to the user of gh.";
  return explainBlocked(stderr);
}

function cutLog({ stdout, truncated }: GhResult): {
  text: string;
  truncated: boolean;
} {
  const all = stdout.split("\n");
  // The first line may have lost its beginning.
  const whole = truncated && all.length > 1 ? all.slice(1) : all;
  const lines = whole.slice(-MAX_LINES).map(toPlainLine);
  let room = MAX_BYTES;
  let first = lines.length;
  while (first > 0) {
    room -= Buffer.byteLength(lines[first - 1] ?? "") + 1;
    if (room < 0) break;
    first -= 1;
  }
  const text =
    first === lines.length
      ? endOf(lines.at(-1) ?? "")
      : lines.slice(first).join("\n");
  return {
    text: text.trim(),
    truncated: truncated || first > 0 || whole.length > MAX_LINES,
  };
}

/** A line as it stands in a terminal at the end, where what follows a carriage return takes the place of the text before. */
function toPlainLine(line: string): string {
  const shown = stripVTControlCharacters(line.replace(START, ""));
  const parts = shown.trimEnd().split("\r");
  return toPlainText(parts.at(-1) ?? "").replace(/^\ufeff/, "");
}

/** The end of a line that is longer than a log may be. */
function endOf(line: string): string {
  const bytes = Buffer.from(line).subarray(-MAX_BYTES);
  return bytes.toString().replace(/^\ufffd+/, "");
}
