import { hash } from "node:crypto";
import { parseJson } from "../parse-json.ts";

/** What an entry tells beside its action. */
export type AuditDetails = Readonly<
  Record<string, string | number | boolean | null | undefined>
>;

/** One line of the audit log. */
export interface AuditEntry {
  /** Number of the line since the log began: 1, 2, 3 … */
  readonly seq: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string;
  /** `kernel`, or the id of the plugin that wrote it. */
  readonly by: string;
  /** `area.past-tense`, such as `session.revoked`. */
  readonly action: string;
  readonly details: AuditDetails;
  /** So often it happened again within the minute before `at`; the first time has a line of its own. */
  readonly again?: number;
  /** Hash of the line before. */
  readonly prev: string;
  /** Hash of this line up to here. */
  readonly hash: string;
}

/** What is to become a line, before its place in the log is known. */
export type NewAuditEntry = Omit<AuditEntry, "seq" | "prev" | "hash">;

/** Where a log ends. */
export interface AuditTip {
  readonly seq: number;
  readonly hash: string;
}

/** Stands for the line before the first. */
export const AUDIT_START: AuditTip = { seq: 0, hash: "0".repeat(43) };

/** Everything but printable ASCII, so that a line shows in any terminal as what it is, and no byte has two meanings. */
const UNPRINTABLE = /[^\x20-\x7e]/g;

/** Writes JSON with printable ASCII only; it means the same. */
export function toAscii(json: string): string {
  return json.replace(
    UNPRINTABLE,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Makes the line that follows a tip, without its line end. */
export function renderAuditLine(
  entry: NewAuditEntry,
  tip: AuditTip,
): { line: string; entry: AuditEntry } {
  const whole = { seq: tip.seq + 1, ...entry, prev: tip.hash };
  const body = toAscii(JSON.stringify(whole));
  const hash = hashOf(body);
  return {
    line: `${body.slice(0, -1)},"hash":"${hash}"}`,
    entry: { ...whole, hash },
  };
}

const LINE = /^(\{"seq":[\x20-\x7e]*),"hash":"([\w-]{43})"\}$/;

/** Reads a line that must follow a tip. Gives the entry, or in words what is wrong with the line. */
export function readAuditLine(
  line: string,
  tip: AuditTip | undefined,
): AuditEntry | string {
  const [, body, hash] = LINE.exec(line) ?? [];
  if (body === undefined || hash === undefined)
    return "it is not a line of this log";
  if (hashOf(`${body}}`) !== hash) return "it was changed after it was written";
  const content = parseJson(`${body}}`) as Omit<AuditEntry, "hash"> | undefined;
  if (!content) return "it is not a line of this log";
  const entry = { ...content, hash };
  if (!tip) return entry;
  if (entry.seq !== tip.seq + 1)
    return `it has number ${entry.seq} where ${tip.seq + 1} belongs`;
  if (entry.prev !== tip.hash) return "it does not follow the line before it";
  return entry;
}

function hashOf(text: string): string {
  return hash("sha256", text, "base64url");
}
