import { computed, type Ref } from "vue";
import { columnsOf, type DiffFile } from "./diffFile.ts";
import type { Row } from "./diffRows.ts";
import { placeOf } from "../review/reviewComment.ts";
import type { FileRows } from "./fileRows.ts";

/** In px, where a rem has 16 of them. */
const HEIGHTS = {
  ...{ head: 36, hunk: 28, line: 20, pair: 20, end: 12 },
  // Guesses, until they are drawn.
  ...{ about: 40, comment: 64 },
};
/** Beside the text of a line: its numbers, its sign, the button and the room behind it. */
const GUTTER = { unified: 136, split: 92 };
/** Characters of a line that are shown where it wraps. */
export const MAX_WRAPPED = 2_000;

/** The heights of rows. */
export interface DiffHeights {
  head: number;
  heightOf(file: FileRows, row: Row): number;
  /** As `useDiffRows` wants it: only what may have another height than was thought has a key. */
  keyOf(file: FileRows, row: Row): string | undefined;
  /** Whether the lines of a file are wider than the view. */
  isWide(file: DiffFile): boolean;
}

/** Works them out from the width of the view and of a hundred characters in px. */
export function useDiffHeights(options: {
  width: Readonly<Ref<number>>;
  probe: Readonly<Ref<number>>;
  hasHeads: boolean;
}): DiffHeights {
  const unit =
    Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const columnsIn = (width: number) =>
    Math.max(1, Math.floor(width / ((options.probe.value || 720) / 100)));
  /** Of one side. */
  const columns = computed(() =>
    columnsIn(options.width.value / 2 - GUTTER.split * unit),
  );
  const whole = computed(() =>
    columnsIn(options.width.value - GUTTER.unified * unit),
  );

  function wrappedLines({ file }: FileRows, row: Row): number {
    if (row.kind !== "pair") return 1;
    const counts = [row.before, row.after].map((line) =>
      Math.ceil(
        Math.min(columnsOf(file.lines[line]?.text ?? ""), MAX_WRAPPED) /
          columns.value,
      ),
    );
    return Math.max(1, ...counts);
  }

  return {
    head: options.hasHeads ? HEIGHTS.head * unit : 0,
    heightOf: (file, row) => HEIGHTS[row.kind] * unit * wrappedLines(file, row),
    keyOf(file, row) {
      const { id, path, lines } = file.file;
      if (row.kind === "about") return `about ${id}`;
      if (row.kind === "comment") {
        const line = lines[row.line];
        const place = line && placeOf(path, line);
        return `comment ${place?.side} ${place?.line} ${id}`;
      }
      return row.kind === "pair" && wrappedLines(file, row) > 1
        ? `pair ${columns.value} ${row.before} ${row.after} ${id}`
        : undefined;
    },
    isWide: (file) => file.columns() > whole.value,
  };
}
