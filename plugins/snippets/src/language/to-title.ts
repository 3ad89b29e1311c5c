/** Longest title. */
export const LONGEST_TITLE = 200;

const LONGEST_HEADING = 60;

/** A title for a text that has none: its first words. Empty if it has no word. */
export function toTitle(text: string): string {
  const line = text
    .slice(0, 1000)
    .replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, " ")
    .trim();
  if (line.length <= LONGEST_HEADING) return line;
  const short = line.slice(0, LONGEST_HEADING - 1);
  const lastSpace = short.lastIndexOf(" ");
  const words =
    lastSpace > LONGEST_HEADING / 3 ? short.slice(0, lastSpace) : short;
  return `${words.replace(/[\ud800-\udbff]$/, "")}…`;
}
