import { parseHunks } from "../../../src/shipping/hunks.ts";

/** A hunk of a patch, as a client names it. */
export function partOf(
  patch: string,
  index: number,
): { header: string; lines: string } {
  const hunk = parseHunks(patch)[index];
  if (!hunk) throw new Error(`The patch has no hunk ${index}.`);
  return { header: hunk.header, lines: hunk.body };
}
