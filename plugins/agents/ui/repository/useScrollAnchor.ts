import { onScopeDispose, watch, type ComputedRef, type Ref } from "vue";
import { findLineRow, placeOfRow, type RowPlace } from "./diffRows.ts";
import type { FileRows } from "./fileRows.ts";

/** The first line in view. */
interface Anchor {
  file: number;
  id: string;
  /** `undefined` for a file without lines. */
  place: RowPlace | undefined;
  /** How far the line, or its file, is above the lower edge of the head, in px. */
  below: number;
}

/**
 * Keeps the first line in view where it is when rows change. Where its file was folded, the head of that is shown; where the
 * file is gone, the next one.
 */
export function useScrollAnchor(options: {
  box: Readonly<Ref<HTMLElement | null>>;
  files: ComputedRef<readonly FileRows[]>;
  gap: number;
  headHeight: number;
  margin: () => number;
  /** How far the box is scrolled, as far as it is known without a layout. */
  offset: () => number;
  /** Where a row begins, from the first one on. */
  startOf: (file: number, row: number) => number;
  /** The row at an offset in the box, by its file and its place there. */
  rowAt: (offset: number) => readonly [file: number, row: number];
}): void {
  const { box, files, gap, headHeight, margin, startOf } = options;
  let anchor: Anchor | undefined;

  function take(): void {
    anchor = undefined;
    const offset = options.offset();
    if (offset <= margin()) return;
    const top = offset + headHeight;
    const [at, row] = options.rowAt(top);
    const file = files.value[at];
    if (!file) return;
    const place = placeOfRow(file.file.lines, file.rows, row);
    const start = startOf(at, place?.row ?? 0);
    anchor = {
      ...{ file: at, id: file.file.id, place },
      below: top - margin() - start,
    };
  }

  function settle(): void {
    if (!anchor || !box.value) return;
    const { id, place, below } = anchor;
    const same = files.value.findIndex(({ file }) => file.id === id);
    const at = same < 0 ? Math.min(anchor.file, files.value.length - 1) : same;
    const file = files.value[at];
    if (!file) return;
    const row = place ? findLineRow(file.file.lines, file.rows, place) : 0;
    const isThere = same >= 0 && row >= 0;
    const wished =
      margin() +
      startOf(at, isThere ? row : 0) +
      (isThere ? below - headHeight : at > 0 ? gap : 0);
    if (Math.abs(box.value.scrollTop - wished) >= 1)
      box.value.scrollTop = wished;
  }

  watch(
    box,
    (now, before) => {
      before?.removeEventListener("scroll", take);
      now?.addEventListener("scroll", take, { passive: true });
    },
    { immediate: true },
  );
  watch(files, settle, { flush: "post" });
  onScopeDispose(() => box.value?.removeEventListener("scroll", take));
}
