import type { Row } from "./rows.ts";
import { splitMessage } from "./splitMessage.ts";

const lineHeight = 24;
/** Characters of a line of prose at the width that a conversation usually has. */
const lineLength = 88;

/** Guesses how high a row will be, for the length of the scrollbar. The real height is taken when it is drawn. */
export function estimateHeight(row: Row): number {
  switch (row.kind) {
    case "answer":
      return 16 + linesOf(row.text) * lineHeight;
    case "message": {
      const { said, data } = splitMessage(row.entry.text);
      const lines = Math.min(14, linesOf(said)) + (data.length > 0 ? 1 : 0);
      return 76 + lines * lineHeight;
    }
    case "tool":
    case "thinking":
    case "asked":
      return 33 + (row.joint.above ? 0 : 8) + (row.joint.below ? 0 : 8);
    case "dialog":
      return 160;
    case "day":
      return 48;
    case "cut-off":
    case "error":
      return 80;
    default:
      return 36;
  }
}

function linesOf(text: string): number {
  let lines = 0;
  for (const line of text.slice(0, 20_000).split("\n"))
    lines += Math.max(1, Math.ceil(line.length / lineLength));
  return lines;
}
