import type { NumberedLine } from "../repository/parsePatch.ts";

/** A short text that is another when lines of a difference are. It protects from nothing: two texts with the same one can be made. */
export function digestLines(lines: readonly NumberedLine[]): string {
  // FNV-1a, 32 bits.
  let hash = 0x811c9dc5;
  let length = 0;
  for (const { sign, text } of lines) {
    const line = `${sign}${text}\n`;
    length += line.length;
    for (let at = 0; at < line.length; at += 1)
      hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
  }
  return `${length}-${(hash >>> 0).toString(36)}`;
}
