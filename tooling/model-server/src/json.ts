/** What a client sent, before anything is known of it. */
export type Json = Record<string, unknown>;

/** The value as an object; an empty one for anything else, since a test server has no one to complain to. */
export function toRecord(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

/** The value as a list of objects. */
export function toRecords(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(toRecord) : [];
}

/** The value as a text. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
