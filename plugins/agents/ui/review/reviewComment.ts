import type { NumberedLine } from "../repository/parsePatch.ts";

/** The place of a line in a difference. */
export interface LinePlace {
  path: string;
  /** Whether it is a line as it was, or as it is now. */
  side: "before" | "after";
  line: number;
}

/** What a user says of a line, until it is sent to the agent. */
export interface ReviewComment extends LinePlace {
  id: string;
  /** The text of the line. */
  quote?: string;
  /** The line with those around it, as a patch has them. */
  excerpt: string;
  /** Empty as long as it was begun and not added. */
  text: string;
}

/** Lines above and below a line that go with a comment on it. */
const CONTEXT = { above: 3, below: 2 };

/** The place of a line; `undefined` for the head of a hunk. */
export function placeOf(
  path: string,
  { sign, before, after }: NumberedLine,
): LinePlace | undefined {
  const side = sign === "-" ? "before" : "after";
  const line = side === "before" ? before : after;
  return sign === "@" || line === null ? undefined : { path, side, line };
}

/** A line of a hunk with those around it in the same hunk. */
export function toExcerpt(
  lines: readonly NumberedLine[],
  index: number,
): string {
  let from = index;
  while (from > index - CONTEXT.above && (lines[from - 1]?.sign ?? "@") !== "@")
    from -= 1;
  let to = index;
  while (to < index + CONTEXT.below && (lines[to + 1]?.sign ?? "@") !== "@")
    to += 1;
  return lines
    .slice(from, to + 1)
    .map(({ sign, text }) => `${sign}${text}`)
    .join("\n");
}

/** The message that takes comments to an agent: each with its file, its line and the lines around it. */
export function toReviewMessage(comments: readonly ReviewComment[]): string {
  const said = comments.map(({ path, side, line, excerpt, text }) => {
    const where =
      side === "before" ? `line ${line} before the change` : `line ${line}`;
    const fence = fenceFor(excerpt);
    return `${path}, ${where}:\n${fence}diff\n${excerpt}\n${fence}\n${text}`;
  });
  const title =
    comments.length === 1
      ? "A comment on your changes:"
      : `${comments.length} comments on your changes:`;
  return [title, ...said].join("\n\n");
}

/** A fence that nothing in a text ends. */
function fenceFor(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const longest = Math.max(0, ...runs.map(({ length }) => length));
  return "`".repeat(Math.max(3, longest + 1));
}
