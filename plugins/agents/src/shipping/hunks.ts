/** Lines that a change puts in the place of others. */
export interface Block {
  /** How many lines of the file as it was are before it. */
  at: number;
  /** With their line ends; the last line of a file may have none. */
  removed: string[];
  added: string[];
}

/** A part of a patch, as git prints it. */
export interface Hunk {
  /** From `@@` on. */
  header: string;
  /** The lines below the header. */
  body: string;
  blocks: Block[];
}

/** How much of a hunk is staged. */
export type StagedPart = "all" | "part" | "none";

/** Reads the hunks in the patch of one file. */
export function parseHunks(patch: string): Hunk[] {
  const start = patch.search(/^@@ /m);
  if (start < 0) return [];
  return patch
    .slice(start)
    .split(/^(?=@@ )/m)
    .map((text) => {
      const end = text.indexOf("\n");
      const [header, body] = [text.slice(0, end), text.slice(end + 1)];
      return { header, body, blocks: toBlocks(header, body) };
    });
}

function toBlocks(header: string, body: string): Block[] {
  const [, from = "1", count = "1"] =
    /^@@ -(\d+)(?:,(\d+))?/.exec(header) ?? [];
  // Before a hunk without old lines, git names the line above it.
  let line = Number(from) - (count === "0" ? 0 : 1);
  const blocks: Block[] = [];
  let open: Block | undefined;
  let last: string[] | undefined;
  for (const text of body.split("\n").slice(0, -1)) {
    const [sign, content] = [text[0], `${text.slice(1)}\n`];
    if (sign === "\\") {
      // The line above it ends without a line end.
      const whole = last?.pop();
      if (whole !== undefined) last?.push(whole.slice(0, -1));
      continue;
    }
    if (sign !== "+" && sign !== "-") {
      [open, last] = [undefined, undefined];
      line += 1;
      continue;
    }
    if (!open) blocks.push((open = { at: line, removed: [], added: [] }));
    last = sign === "-" ? open.removed : open.added;
    last.push(content);
    if (sign === "-") line += 1;
  }
  return blocks;
}

/**
 * A file with some changes applied.
 *
 * @param blocks None of them may touch another one.
 * @returns `undefined` if the file is not the one that they were made for
 */
export function applyBlocks(
  text: string,
  blocks: readonly Block[],
): string | undefined {
  const lines = toLines(text);
  let [result, at] = ["", 0];
  for (const block of blocks.toSorted((one, other) => one.at - other.at)) {
    const { removed, added } = block;
    const old = lines.slice(block.at, block.at + removed.length).join("");
    if (block.at < at || old !== removed.join("")) return undefined;
    result += lines.slice(at, block.at).join("") + added.join("");
    at = block.at + removed.length;
  }
  return result + lines.slice(at).join("");
}

/** The lines of a text, with their ends. */
export function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** How much of a hunk is staged, by the changes that are. Both are changes of the same file. */
export function stagedPart(
  { blocks }: Hunk,
  staged: readonly Block[],
): StagedPart {
  const keys = new Set(staged.map(keyOf));
  const count = blocks.filter((block) => keys.has(keyOf(block))).length;
  if (count === blocks.length) return "all";
  return count > 0 || staged.some((block) => touchesAny(block, blocks))
    ? "part"
    : "none";
}

/** The changes that are staged once a hunk is, or is not any more. */
export function restage(
  { blocks }: Hunk,
  staged: readonly Block[],
  isStaged: boolean,
): Block[] {
  const others = staged.filter((block) => !touchesAny(block, blocks));
  return isStaged ? [...others, ...blocks] : others;
}

function touchesAny(block: Block, others: readonly Block[]): boolean {
  const end = block.at + block.removed.length;
  return others.some(
    ({ at, removed }) => at <= end && block.at <= at + removed.length,
  );
}

function keyOf({ at, removed, added }: Block): string {
  return JSON.stringify([at, removed, added]);
}
