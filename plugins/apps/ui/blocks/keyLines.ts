import type { LogLine } from "../wire.ts";

/** A line with what it is known by. */
export interface KeyedLine {
  key: string;
  line: LogLine;
}

/** Gives each line a key that it keeps when older ones are left out, so that what is selected in it stays selected. */
export function keyLines(lines: readonly LogLine[]): KeyedLine[] {
  const counts = new Map<string, number>();
  // From the end, since old lines are left out at the beginning.
  return lines
    .toReversed()
    .map((line) => {
      const content = `${line.time ?? ""} ${line.tone} ${line.text}`;
      const count = (counts.get(content) ?? 0) + 1;
      counts.set(content, count);
      return { key: `${count} ${content}`, line };
    })
    .reverse();
}
