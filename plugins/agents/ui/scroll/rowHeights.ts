/** The heights of a list's rows, of which most were never on the page. */
export interface RowHeights {
  /** Number of rows. */
  readonly count: number;
  /** Height of all rows together. */
  readonly total: number;
  /** Takes the rows as they are now, by their keys. What was measured of a key is kept. */
  setRows(rows: readonly { key: string; estimate: number }[]): void;
  /** Takes a row's real height. Tells whether it is news. */
  measure(key: string, height: number): boolean;
  /** Where a row begins. */
  offsetOf(index: number): number;
  /** The row at a place: the last one that begins at or before it. */
  indexAt(offset: number): number;
  /** Index of a row, -1 if it is gone. */
  indexOf(key: string): number;
  keyOf(index: number): string | undefined;
}

/** Makes heights without any rows. */
export function createRowHeights(): RowHeights {
  const measured = new Map<string, number>();
  let indices = new Map<string, number>();
  let rows: readonly { key: string; estimate: number }[] = [];
  /** Where each row begins, and at last where the last one ends; right up to `valid`. */
  let offsets = new Float64Array(1);
  let valid = 0;

  const heightOf = (row: { key: string; estimate: number }) =>
    measured.get(row.key) ?? row.estimate;

  /** Sums up to a row, from where the sums are right. */
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
      // An estimate that changed counts only where nothing was measured, which is never what is looked at.
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
      const isNews = Math.abs(heightOf(row) - height) >= 0.5;
      measured.set(key, height);
      if (isNews) valid = Math.min(valid, index);
      return isNews;
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
