import type { AuditDetails } from "./audit-entry.ts";

/** A value is cut here: a hostile name must not fill the log. */
const MAX_VALUE_LENGTH = 256;
const MAX_VALUES = 16;
const MAX_NAME_LENGTH = 40;

/** What is kept of details: few and short values, without secrets. */
export function toAuditDetails(
  details: AuditDetails,
  redact: (text: string) => string,
): AuditDetails {
  return Object.fromEntries(
    Object.entries(details)
      .filter(([, value]) => value !== undefined)
      .slice(0, MAX_VALUES)
      .map(([name, value]) => [
        name.slice(0, MAX_NAME_LENGTH),
        typeof value === "string" ? cut(redact(value)) : value,
      ]),
  );
}

function cut(text: string): string {
  return text.length <= MAX_VALUE_LENGTH
    ? text
    : `${text.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}
