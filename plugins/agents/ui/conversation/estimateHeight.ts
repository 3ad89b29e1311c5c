import type { Row } from "./rows.ts";

const LINE_HEIGHT = 24;
/** Characters per line of prose at the usual width of a conversation. */
const LINE_LENGTH = 88;

/** Estimates the height of a row in pixels, for the scrollbar, until the row is rendered and measured. */
export function estimateHeight(row: Row): number {
  switch (row.kind) {
    case "answer":
      return 16 + linesOf(row.text) * LINE_HEIGHT;
    case "message":
      return 76 + Math.min(14, linesOf(row.entry.text)) * LINE_HEIGHT;
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
    lines += Math.max(1, Math.ceil(line.length / LINE_LENGTH));
  return lines;
}
