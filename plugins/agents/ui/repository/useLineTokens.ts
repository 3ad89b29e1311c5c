import { shallowRef, watch, type Ref } from "vue";
import type { Token } from "./highlightLines.ts";
import type { NumberedLine } from "./parsePatch.ts";

/** Differences with more lines are shown without colours. */
const MAX_LINES = 5_000;

/** The colours of the lines of a difference, by their index. They come after the lines themselves are shown. */
export function useLineTokens(
  source: () => { path: string | undefined; lines: readonly NumberedLine[] },
): Readonly<Ref<ReadonlyMap<number, readonly Token[]>>> {
  const tokens = shallowRef<ReadonlyMap<number, readonly Token[]>>(new Map());
  watch(
    source,
    async ({ path, lines }) => {
      tokens.value = new Map();
      if (path === undefined || lines.length > MAX_LINES) return;
      const found = await readTokens(path, lines);
      // Others may have come meanwhile.
      if (source().lines === lines) tokens.value = found;
    },
    { immediate: true },
  );
  return tokens;
}

/** Each hunk is read twice: as it was, and as it is now. */
async function readTokens(
  path: string,
  lines: readonly NumberedLine[],
): Promise<ReadonlyMap<number, readonly Token[]>> {
  const { highlightLines } = await import("./highlightLines.ts");
  const found = new Map<number, readonly Token[]>();
  for (const hunk of toHunks(lines))
    for (const sign of ["-", "+"] as const) {
      const side = hunk.filter(
        (index) => lines[index]?.sign === sign || lines[index]?.sign === " ",
      );
      const colors = await highlightLines(
        path,
        side.map((index) => lines[index]?.text ?? ""),
      );
      for (const [place, index] of side.entries())
        found.set(index, colors[place] ?? []);
    }
  return found;
}

/** The indexes of the lines of each hunk. */
function toHunks(lines: readonly NumberedLine[]): number[][] {
  const hunks: number[][] = [];
  let hunk: number[] | undefined;
  for (const [index, { sign }] of lines.entries()) {
    if (sign === "@" || !hunk) hunks.push((hunk = []));
    if (sign !== "@") hunk.push(index);
  }
  return hunks;
}
