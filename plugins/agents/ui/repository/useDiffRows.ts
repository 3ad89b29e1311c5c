import { defaultRangeExtractor, useVirtualizer } from "@tanstack/vue-virtual";
import { computed, type ComputedRef, type Ref } from "vue";
import type { Row } from "./diffRows.ts";
import type { FileRows } from "./fileRows.ts";
import { useScrollAnchor } from "./useScrollAnchor.ts";

/** A difference with at most this many rows is drawn whole, so that the browser's own search finds everything in it. */
const MAX_WHOLE = 300;
/** Rows above and below the view that are drawn too. */
const OVERSCAN = 30;

/** A row that is drawn, with the room before it in px that is left for rows that are not. */
export interface DrawnRow {
  row: Row;
  /** Among all rows. */
  index: number;
  /** Among those of its file. */
  place: number;
  gap: number;
  height: number;
  /** It is to be measured, and known by this. */
  key: string | undefined;
}

/** A file of which something is drawn. Lengths are in px. */
export interface DrawnFile extends FileRows {
  top: number;
  height: number;
  /** Without the head. */
  drawn: DrawnRow[];
}

/** The part of a difference that is drawn. */
export interface DiffRows {
  readonly files: ComputedRef<readonly DrawnFile[]>;
  /** Height of all rows in px. */
  readonly total: ComputedRef<number>;
  /** Scrolls as far as is needed to see a row of a file. */
  show(file: number, row: number): void;
  /** Takes the real height of a row with a key. */
  measure(element: Element): void;
}

interface Options {
  box: Readonly<Ref<HTMLElement | null>>;
  /** Where the rows begin in the box. */
  margin: () => number;
  files: ComputedRef<readonly FileRows[]>;
  heightOf: (file: FileRows, row: Row) => number;
  /** Tells a row whose height is measured from all others; `undefined` for one whose height is known. */
  keyOf: (file: FileRows, row: Row) => string | undefined;
  headHeight: number;
  /** Room between files. */
  gap: number;
  /** Rows that stay drawn wherever the box is scrolled to, each by file and row. */
  kept: () => readonly (readonly [file: number, row: number])[];
}

/** Draws only the rows of files that are in view, and keeps what the user looks at in its place when they change. */
export function useDiffRows(options: Options): DiffRows {
  const { box, files, gap, headHeight, margin } = options;
  const layout = computed(() => toLayout(files.value, options));
  const kept = computed(() =>
    options.kept().map(([file, row]) => layout.value.startOf(file) + row),
  );
  const virtualizer = useVirtualizer(
    computed(() => {
      const { heights, getKey } = layout.value;
      const stay = kept.value;
      return {
        count: heights.length,
        getScrollElement: () => box.value,
        estimateSize: (index: number) => heights[index] ?? 0,
        getItemKey: getKey,
        overscan: heights.length <= MAX_WHOLE ? MAX_WHOLE : OVERSCAN,
        scrollMargin: margin(),
        scrollPaddingStart: headHeight,
        rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) =>
          [...new Set([...defaultRangeExtractor(range), ...stay])]
            .filter((index) => index < range.count)
            .sort((one, other) => one - other),
      };
    }),
  );
  /** Where a row begins, from the first one on. */
  const startAt = (index: number) =>
    index < layout.value.heights.length
      ? (virtualizer.value.measurementsCache[index]?.start ?? margin()) -
        margin()
      : virtualizer.value.getTotalSize();

  const drawn = computed(() => {
    const { fileAt, startOf } = layout.value;
    const found: DrawnFile[] = [];
    let end = 0;
    for (const item of virtualizer.value.getVirtualItems()) {
      const at = fileAt(item.index);
      const place = item.index - startOf(at);
      const file = files.value[at];
      const row = file?.rows[place];
      if (!file || !row) continue;
      if (found.at(-1)?.file !== file.file) {
        const top = startAt(startOf(at)) + (at > 0 ? gap : 0);
        const bottom = startAt(startOf(at + 1));
        found.push({ ...file, top, height: bottom - top, drawn: [] });
        end = top + headHeight;
      }
      if (row.kind === "head") continue;
      const start = item.start - margin();
      found.at(-1)?.drawn.push({
        ...{ row, place, index: item.index, height: item.size },
        gap: start - end,
        key: typeof item.key === "string" ? item.key : undefined,
      });
      end = start + item.size;
    }
    return found;
  });

  useScrollAnchor({
    ...{ box, files, gap, headHeight, margin },
    offset: () => virtualizer.value.scrollOffset ?? 0,
    startOf: (file, row) => startAt(layout.value.startOf(file) + row),
    rowAt(offset) {
      const index =
        virtualizer.value.getVirtualItemForOffset(offset)?.index ?? 0;
      const file = layout.value.fileAt(index);
      return [file, index - layout.value.startOf(file)];
    },
  });

  return {
    files: drawn,
    total: computed(() => virtualizer.value.getTotalSize()),
    show: (file, row) =>
      virtualizer.value.scrollToIndex(layout.value.startOf(file) + row, {
        align: "auto",
      }),
    measure: (element) => virtualizer.value.measureElement(element),
  };
}

/** The rows of all files in a row: their heights, and by which keys those are kept that turn out to be others. */
function toLayout(
  files: readonly FileRows[],
  { heightOf, keyOf, gap }: Pick<Options, "heightOf" | "keyOf" | "gap">,
) {
  const heights: number[] = [];
  const keys: (string | undefined)[] = [];
  const starts: number[] = [];
  for (const file of files) {
    starts.push(heights.length);
    for (const row of file.rows) {
      const above = row.kind === "head" && starts.length > 1 ? gap : 0;
      heights.push(heightOf(file, row) + above);
      keys.push(keyOf(file, row));
    }
  }
  const startOf = (file: number) => starts[file] ?? heights.length;
  return {
    heights,
    getKey: (index: number) => keys[index] ?? index,
    /** The first row of a file among all; behind them all for one that is not there. */
    startOf,
    /** The file that a row is of. */
    fileAt(index: number): number {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (startOf(middle) <= index) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
