import { randomBytes } from "node:crypto";
import { toVisibleText } from "@gantry/plugin";

/**
 * Encloses data of pages in two marked lines, as JSON in which invisible characters are written out. The data cannot
 * contain the marks, and no text in it can begin a line of its own.
 */
export function fenceUntrustedData(data: unknown): string {
  const text = toVisibleText(JSON.stringify(data, undefined, 2));
  const mark = createMark(text);
  return [
    `----- BEGIN UNTRUSTED DATA ${mark} -----`,
    text,
    `----- END UNTRUSTED DATA ${mark} -----`,
  ].join("\n");
}

function createMark(text: string): string {
  for (;;) {
    const mark = randomBytes(16).toString("hex");
    if (!text.includes(mark)) return mark;
  }
}
