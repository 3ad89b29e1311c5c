import { diffLines } from "../../src/tools/line-diff.ts";
import type { NumberedLine } from "../repository/parsePatch.ts";

/** Length of the code of a line. */
const CODE_LENGTH = 5;

/** A short text that is another when lines of a difference are. It protects from nothing: two texts with the same one can be made. */
export function digestLines(lines: readonly NumberedLine[]): string {
  let hash = BASIS;
  let length = 0;
  for (const { sign, text } of lines) {
    const line = `${sign}${text}\n`;
    length += line.length;
    hash = addText(hash, line);
  }
  return `${length}-${hash.toString(36)}`;
}

/** The codes of all lines that were changed, in a row; what is kept of them until the user looks again. */
export function encodeLines(lines: readonly NumberedLine[]): string {
  return lines
    .filter(isChanged)
    .map(({ sign, text }) =>
      (addText(BASIS, `${sign}${text}`) % 36 ** CODE_LENGTH)
        .toString(36)
        .padStart(CODE_LENGTH, "0"),
    )
    .join("");
}

/** The indexes of the lines that were changed since others had been seen, which are known by their codes. */
export function findNewLines(
  lines: readonly NumberedLine[],
  seen: string,
): ReadonlySet<number> {
  const changed = lines.flatMap((line, index) =>
    isChanged(line) ? [index] : [],
  );
  const found = new Set<number>();
  let at = 0;
  for (const { sign } of diffLines(
    splitCodes(seen),
    splitCodes(encodeLines(lines)),
  )) {
    if (sign === "-") continue;
    const index = changed[at++];
    if (sign === "+" && index !== undefined) found.add(index);
  }
  return found;
}

/** How many lines codes are of. */
export function countCodes(codes: string): number {
  return codes.length / CODE_LENGTH;
}

const BASIS = 0x811c9dc5;

/** FNV-1a, 32 bits. */
function addText(before: number, text: string): number {
  let hash = before;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function isChanged({ sign }: NumberedLine): boolean {
  return sign === "+" || sign === "-";
}

/** A code a line. */
function splitCodes(codes: string): string {
  return (codes.match(/.{5}/g) ?? []).join("\n");
}
