import type { Row } from "./rows.ts";

/**
 * Gives rows that say the same as before as the same objects. A row that stays is neither drawn nor estimated again when
 * another one comes.
 */
export function reuseRows(
  rows: readonly Row[],
  before: readonly Row[] = [],
): readonly Row[] {
  const known = new Map(before.map((row) => [row.key, row]));
  return rows.map((row) => {
    const old = known.get(row.key);
    return old && isSame(row, old) ? old : row;
  });
}

/** Compares plain data, which is most often the same object. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => isSame(one[key], other[key]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
