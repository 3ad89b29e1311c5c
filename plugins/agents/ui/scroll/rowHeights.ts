/** The heights of a list's rows, of which most were never on the page. */
export interface RowHeights {
  /** Number of rows. */
  readonly count: number;
  /** Height of all rows together. */
  readonly total: number;
  /**
   * Takes the rows as they are now, by their keys. What was measured of a key is kept; those from the first that is another
   * object than before are estimated.
   */
  setRows(
    rows: readonly { key: string }[],
    estimate: (index: number) => number,
  ): void;
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
  const indices = new Map<string, number>();
  let rows: readonly { key: string }[] = [];
  const estimates: number[] = [];
  /** Where each row begins, and at last where the last one ends; right up to `valid`. */
  let offsets = new Float64Array(1);
  let valid = 0;

  function heightOf(index: number): number {
    const key = rows[index]?.key;
    const known = key === undefined ? undefined : measured.get(key);
    return known ?? estimates[index] ?? 0;
  }

  /** Sums up to a row, from where the sums are right. */
  function sumTo(index: number): void {
    for (; valid < index; valid += 1)
      offsets[valid + 1] = (offsets[valid] ?? 0) + heightOf(valid);
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
    setRows(next, estimate) {
      let same = 0;
      while (same < next.length && rows[same] === next[same]) same += 1;
      // An answer that grows is one row of thousands.
      for (const { key } of rows.slice(same)) indices.delete(key);
      estimates.length = same;
      rows = next;
      for (let index = same; index < next.length; index += 1) {
        const row = next[index];
        if (row) indices.set(row.key, index);
        estimates.push(estimate(index));
      }
      const kept = offsets;
      if (kept.length < next.length + 1) {
        offsets = new Float64Array(Math.ceil(next.length * 1.5) + 1);
        offsets.set(kept);
      }
      valid = Math.min(valid, same);
    },
    measure(key, height) {
      const index = indices.get(key);
      if (index === undefined) return false;
      const isNews = Math.abs(heightOf(index) - height) >= 0.5;
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
