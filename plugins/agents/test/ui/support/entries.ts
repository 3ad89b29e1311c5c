import type { Entry } from "../../../ui/wire.ts";

let count = 0;

/** Creates an entry with defaults. */
export function entry(fields: Partial<Entry>): Entry {
  count += 1;
  return {
    id: `ent_${count}`,
    parentId: null,
    at: "2026-03-02T10:00:00.000Z",
    turnId: "trn_1",
    role: "assistant",
    kind: "text",
    text: "text",
    ...fields,
  };
}

/** Creates a user message. */
export function said(text: string, fields: Partial<Entry> = {}): Entry {
  return entry({ role: "user", text, ...fields });
}

/** Creates a tool call. */
export function ran(
  name: string,
  input: object,
  fields: Partial<Entry> = {},
): Entry {
  return entry({
    kind: "tool",
    text: "output",
    tool: {
      callId: "call",
      name,
      title: name,
      input: JSON.stringify(input),
      failed: false,
    },
    ...fields,
  });
}
