import { onScopeDispose, shallowReactive } from "vue";
import type { DiffFile } from "./diffFile.ts";
import type { Token } from "./highlightLines.ts";
import type { NumberedLine } from "./parsePatch.ts";

/** Lines whose colours are found at a time. */
const PART_LENGTH = 100;
/** Lines of the same hunk that are read before them, so that a comment which begins there is one. */
const LEAD_LENGTH = 50;

/** Lines of a file that are drawn. */
export interface DrawnLines {
  file: DiffFile;
  from: number;
  to: number;
}

/** One for all, so that a line without colours is not drawn again. */
const NO_TOKENS: readonly Token[] = [];

type Colors = ReadonlyMap<number, readonly Token[]>;

/** The colours of lines. They come after the lines themselves are shown. */
export interface LineTokens {
  tokensAt(file: DiffFile, line: number): readonly Token[];
  /** Finds those of the lines that are drawn, and no longer those of others. */
  find(drawn: readonly DrawnLines[]): void;
}

/** Finds colours part by part, with time for the page between them. */
export function useLineTokens(): LineTokens {
  const known = new WeakMap<DiffFile, Map<number, Colors>>();
  let wished: { file: DiffFile; part: number }[] = [];
  let isBusy = false;
  onScopeDispose(() => (wished = []));

  function partsOf(file: DiffFile): Map<number, Colors> {
    let parts = known.get(file);
    if (!parts) known.set(file, (parts = shallowReactive(new Map())));
    return parts;
  }

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    const { highlightLines } = await import("./highlightLines.ts");
    for (let next = wished.shift(); next; next = wished.shift()) {
      const { file, part } = next;
      const colors: Colors = await readTokens(file, part, highlightLines);
      partsOf(file).set(part, colors);
      await new Promise((resolve) => setTimeout(resolve));
    }
    isBusy = false;
  }

  return {
    tokensAt: (file, line) =>
      partsOf(file)
        .get(Math.floor(line / PART_LENGTH))
        ?.get(line) ?? NO_TOKENS,
    find(drawn) {
      wished = drawn.flatMap(({ file, from, to }) => {
        const first = Math.floor(from / PART_LENGTH);
        const count = Math.floor(to / PART_LENGTH) - first + 1;
        return Array.from({ length: count }, (_, index) => first + index)
          .filter((part) => !partsOf(file).has(part))
          .map((part) => ({ file, part }));
      });
      if (wished.length > 0) void work();
    },
  };
}

/** Each hunk is read twice: as it was, and as it is now. */
async function readTokens(
  { path, lines }: DiffFile,
  part: number,
  highlight: (path: string, lines: readonly string[]) => Promise<Token[][]>,
): Promise<Colors> {
  const found = new Map<number, readonly Token[]>();
  const from = part * PART_LENGTH;
  const to = Math.min(lines.length, from + PART_LENGTH);
  for (const hunk of toHunks(lines, Math.max(0, from - LEAD_LENGTH), to))
    for (const sign of ["-", "+"] as const) {
      const side = hunk.filter(
        (index) => lines[index]?.sign === sign || lines[index]?.sign === " ",
      );
      const colors = await highlight(
        path,
        side.map((index) => lines[index]?.text ?? ""),
      );
      for (const [place, index] of side.entries())
        if (index >= from) found.set(index, colors[place] ?? []);
    }
  return found;
}

/** The indexes of the lines of each hunk, or of the part of it that is between two lines. */
function toHunks(
  lines: readonly NumberedLine[],
  from: number,
  to: number,
): number[][] {
  const hunks: number[][] = [[]];
  for (let index = from; index < to; index += 1)
    if (lines[index]?.sign === "@") hunks.push([]);
    else hunks.at(-1)?.push(index);
  return hunks;
}
