import { toVisibleText } from "@gantry/plugin";

/** Longest sentence that is made of an error; agents put whole pages into them. */
const MAX_LENGTH = 2000;
/** How deep the reason may lie in an error's data. */
const MAX_DEPTH = 4;

/** Where agents put the reason of an error, in the order in which it is looked for. */
const FIELDS = [
  "details",
  "detail",
  "message",
  "reason",
  "error",
  "description",
  "cause",
  "additionalDetails",
  "errors",
  "data",
];

/** An error of JSON-RPC, as it is on the wire. */
export interface RpcError {
  code?: unknown;
  message?: unknown;
  data?: unknown;
}

/**
 * An error of JSON-RPC as a sentence: its message and the reason in its data, which agents give in many forms. It is cut,
 * and characters that cannot be seen are written out.
 */
export function describeRpcError(error: unknown): string {
  const { message, data } = toRpcError(error);
  const said = typeof message === "string" ? message.trim() : "";
  const reason = toReason(data, 0);
  const isSaidAlready = reason === "" || said.includes(reason);
  const whole = isSaidAlready
    ? said
    : said === "" || reason.includes(said)
      ? reason
      : `${said.replace(/[.:]$/, "")}: ${reason}`;
  return toSentence(whole || "It failed without a reason.");
}

function toRpcError(error: unknown): RpcError {
  if (typeof error === "object" && error !== null) return error;
  return { message: String(error) };
}

function toReason(data: unknown, depth: number): string {
  if (data === null || data === undefined || depth > MAX_DEPTH) return "";
  if (typeof data === "string") return readText(data, depth);
  if (typeof data !== "object") return String(data);
  if (Array.isArray(data)) {
    const reasons = data.slice(0, 5).map((part) => toReason(part, depth + 1));
    return reasons.filter((reason) => reason !== "").join("; ");
  }
  const fields = data as Record<string, unknown>;
  for (const field of FIELDS) {
    const reason = toReason(fields[field], depth + 1);
    if (reason !== "") return reason;
  }
  // None that is known: better all of it than nothing.
  return depth === 0 && Object.keys(fields).length > 0 ? toJson(fields) : "";
}

/** Some pass the answer of a model unchanged, which is JSON in a text. */
function readText(text: string, depth: number): string {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed) || trimmed.length > 100_000) return trimmed;
  try {
    return toReason(JSON.parse(trimmed), depth + 1) || trimmed;
  } catch {
    return trimmed;
  }
}

function toJson(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}

function toSentence(text: string): string {
  const shown = toVisibleText(text.slice(0, MAX_LENGTH));
  const more = text.length - MAX_LENGTH;
  return more > 0 ? `${shown}… [${more} more characters are not shown]` : shown;
}
