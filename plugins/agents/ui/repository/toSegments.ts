import type { Range } from "./changedRange.ts";
import type { Token } from "./highlightLines.ts";

/** A part of a line with one look. */
export interface Segment {
  text: string;
  /** The classes of its colour. */
  class: string;
  /** It differs from the line before. */
  isChanged: boolean;
}

/** Cuts a line where its colours change, and where what differs begins and ends. */
export function toSegments(
  text: string,
  tokens: readonly Token[],
  changed: Range | undefined,
): Segment[] {
  const cuts = new Set([0, text.length]);
  for (const { from, to } of changed ? [...tokens, changed] : tokens)
    cuts.add(from).add(to);
  const places = [...cuts]
    .filter((at) => at <= text.length)
    .sort((one, other) => one - other);
  return places.slice(0, -1).map((from, index) => {
    const to = places[index + 1] ?? text.length;
    return {
      text: text.slice(from, to),
      class:
        tokens.find((token) => token.from <= from && token.to >= to)?.class ??
        "",
      isChanged:
        changed !== undefined && changed.from <= from && changed.to >= to,
    };
  });
}
