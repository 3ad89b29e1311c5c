import {
  computed,
  nextTick,
  shallowRef,
  type ComputedRef,
  type Ref,
} from "vue";
import type { ReviewComment } from "../review/reviewComment.ts";
import { rowOfLine, type Row } from "./diffRows.ts";
import type { FileRows } from "./fileRows.ts";

/** A line of a file, or another row of it. */
interface RowOfFile {
  id: string;
  row: Row;
}

type RowIndex = readonly [file: number, row: number];

/** What the keyboard does in a difference. */
export interface LineKeys {
  /** Rows that stay drawn, since the focus is in them or something is written there. */
  kept: ComputedRef<readonly RowIndex[]>;
  /** The line whose button the keyboard was on last. */
  current: Readonly<Ref<{ id: string; line: number } | undefined>>;
  onKey(event: KeyboardEvent): void;
  onFocus(event: FocusEvent): void;
  onBlur(): void;
  /** Puts the focus on the button of a line, which is brought into view first. */
  focusLine(id: string, line: number): Promise<void>;
}

const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, ArrowUp: -1 },
  // From the ends of the file.
  ...{ Home: 1, End: -1 },
};

/** Moves the focus from line to line, also to those that are not drawn. */
export function useLineKeys(options: {
  root: Readonly<Ref<HTMLElement | null>>;
  files: ComputedRef<readonly FileRows[]>;
  /** The id of the comment that is being written. */
  writing: () => string | undefined;
  show: (file: number, row: number) => void;
}): LineKeys {
  const { files } = options;
  const current = shallowRef<{ id: string; line: number }>();
  const focused = shallowRef<RowOfFile>();
  const fileOf = (id: string | undefined) =>
    files.value.findIndex(({ file }) => file.id === id);

  const kept = computed(() => [
    ...findRow(
      files.value,
      ({ file }) => file.id === focused.value?.id,
      (_, row) => isSameRow(row, focused.value?.row),
    ),
    ...findWritten(files.value, options.writing()),
  ]);

  async function focusLine(id: string, line: number): Promise<void> {
    const file = fileOf(id);
    const rows = files.value[file]?.rows ?? [];
    const row = rowOfLine(rows, line);
    const wished = rows[row];
    if (!wished) return;
    focused.value = { id, row: wished };
    current.value = { id, line };
    options.show(file, row);
    await nextTick();
    options.root.value
      ?.querySelector<HTMLElement>(
        `[data-file="${CSS.escape(id)}"] [data-line="${line}"]`,
      )
      ?.focus({ preventScroll: true });
  }

  return {
    kept,
    current,
    focusLine,
    onKey(event) {
      const { target } = event;
      if (!(target instanceof HTMLElement)) return;
      const id = target.closest<HTMLElement>("[data-file]")?.dataset["file"];
      const line = target.dataset["line"];
      if (id === undefined || line === undefined) return;
      const rows = files.value[fileOf(id)]?.rows ?? [];
      const next = lineAfter(event.key, rows, Number(line));
      if (next === undefined) return;
      event.preventDefault();
      void focusLine(id, next);
    },
    onFocus({ target }) {
      if (!(target instanceof HTMLElement)) return;
      const id = target.closest<HTMLElement>("[data-file]")?.dataset["file"];
      const place =
        target.closest<HTMLElement>("[data-row]")?.dataset["row"] ?? 0;
      const row = files.value[fileOf(id)]?.rows[Number(place)];
      focused.value =
        id !== undefined && row !== undefined ? { id, row } : undefined;
    },
    onBlur: () => (focused.value = undefined),
  };
}

/** The line that a key leads to from another one. */
function lineAfter(
  key: string,
  rows: readonly Row[],
  line: number,
): number | undefined {
  const at = rowOfLine(rows, line);
  const row = rows[at];
  const side = row?.kind === "pair" && row.before === line ? "before" : "after";
  if (row?.kind === "pair" && /^Arrow(Left|Right)$/.test(key)) {
    const other = key === "ArrowLeft" ? row.before : row.after;
    return other >= 0 && other !== line ? other : undefined;
  }
  const step = STEPS[key];
  if (step === undefined) return undefined;
  const from = key === "Home" ? 0 : key === "End" ? rows.length - 1 : at + step;
  for (let next = from; rows[next]; next += step) {
    const one = rows[next];
    if (one?.kind === "line") return one.line;
    if (one?.kind === "pair" && one[side] >= 0) return one[side];
  }
  return undefined;
}

/** The row in which a comment is being written. */
function findWritten(
  files: readonly FileRows[],
  writing: string | undefined,
): RowIndex[] {
  if (writing === undefined) return [];
  const isWritten = (comment: ReviewComment | undefined) =>
    comment?.id === writing;
  return findRow(
    files,
    ({ reviewed: { lost, placed } }) =>
      lost.some(isWritten) || [...placed.values()].some(isWritten),
    ({ reviewed: { lost, placed } }, row) =>
      row.kind === "about"
        ? lost.some(isWritten)
        : row.kind === "comment" && isWritten(placed.get(row.line)),
  );
}

/** A row of a file. */
function findRow(
  files: readonly FileRows[],
  isFile: (file: FileRows) => boolean,
  isRow: (file: FileRows, row: Row) => boolean,
): RowIndex[] {
  const at = files.findIndex(isFile);
  const file = files[at];
  const row = file ? file.rows.findIndex((one) => isRow(file, one)) : -1;
  return row < 0 ? [] : [[at, row]];
}

function isSameRow(one: Row, other: Row | undefined): boolean {
  if (one === other) return true;
  return (
    one.kind === other?.kind &&
    ("line" in one
      ? "line" in other && one.line === other.line
      : "before" in one
        ? "before" in other &&
          one.before === other.before &&
          one.after === other.after
        : true)
  );
}
