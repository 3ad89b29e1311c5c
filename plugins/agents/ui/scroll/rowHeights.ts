/** Measured or estimated heights of the rows of a virtual list. */
export interface RowHeights {
  /** Number of rows. */
  readonly count: number;
  /** Total height of all rows. */
  readonly total: number;
  /** Replaces the rows. Measured heights are kept by key. */
  setRows(rows: readonly { key: string; estimate: number }[]): void;
  /** Sets the measured height of a row. Returns whether it changed. */
  measure(key: string, height: number): boolean;
  /** Offset of the top of a row. */
  offsetOf(index: number): number;
  /** Index of the row at an offset: the last one that starts at or before it. */
  indexAt(offset: number): number;
  /** Index of a row, or -1. */
  indexOf(key: string): number;
  keyOf(index: number): string | undefined;
}

/** Creates heights without rows. */
export function createRowHeights(): RowHeights {
  const measured = new Map<string, number>();
  let indices = new Map<string, number>();
  let rows: readonly { key: string; estimate: number }[] = [];
  /** Offset of each row, and last the end of the last row; correct up to index `valid`. */
  let offsets = new Float64Array(1);
  let valid = 0;

  const heightOf = (row: { key: string; estimate: number }) =>
    measured.get(row.key) ?? row.estimate;

  /** Extends the correct offsets up to a row. */
  function sumTo(index: number): void {
    for (; valid < index; valid += 1) {
      const row = rows[valid];
      offsets[valid + 1] = (offsets[valid] ?? 0) + (row ? heightOf(row) : 0);
    }
  }

  function clamp(index: number): number {
    return Math.min(Math.max(index, 0), rows.length);
  }

  return {
    get count() {
      return rows.length;
    },
    get total() {
      sumTo(rows.length);
      return offsets[rows.length] ?? 0;
    },
    setRows(next) {
      let same = 0;
      while (same < next.length && rows[same]?.key === next[same]?.key)
        same += 1;
      // A changed estimate matters only for rows not measured yet, which are never visible.
      rows = next;
      indices = new Map(next.map(({ key }, index) => [key, index]));
      const kept = offsets;
      if (kept.length < next.length + 1) {
        offsets = new Float64Array(Math.ceil(next.length * 1.5) + 1);
        offsets.set(kept);
      }
      valid = Math.min(valid, same);
    },
    measure(key, height) {
      const index = indices.get(key);
      const row = index === undefined ? undefined : rows[index];
      if (index === undefined || !row) return false;
      const isChanged = Math.abs(heightOf(row) - height) >= 0.5;
      measured.set(key, height);
      if (isChanged) valid = Math.min(valid, index);
      return isChanged;
    },
    offsetOf(index) {
      const at = clamp(index);
      sumTo(at);
      return offsets[at] ?? 0;
    },
    indexAt(offset) {
      sumTo(rows.length);
      let low = 0;
      let high = rows.length;
      while (low + 1 < high) {
        const middle = (low + high) >> 1;
        if ((offsets[middle] ?? 0) <= offset) low = middle;
        else high = middle;
      }
      return low;
    },
    indexOf: (key) => indices.get(key) ?? -1,
    keyOf: (index) => rows[index]?.key,
  };
}
