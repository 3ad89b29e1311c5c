/** Longest title. */
export const MAX_TITLE_LENGTH = 200;

const MAX_HEADING_LENGTH = 60;

/** A title for a text that has none: its first words. Empty if it has no word. */
export function toTitle(text: string): string {
  const line = text
    .slice(0, 1000)
    .replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, " ")
    .trim();
  if (line.length <= MAX_HEADING_LENGTH) return line;
  const short = line.slice(0, MAX_HEADING_LENGTH - 1);
  const lastSpace = short.lastIndexOf(" ");
  const words =
    lastSpace > MAX_HEADING_LENGTH / 3 ? short.slice(0, lastSpace) : short;
  return `${words.replace(/[\ud800-\udbff]$/, "")}…`;
}
