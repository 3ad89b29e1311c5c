const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** A size for a sentence: `512 B`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const text = unit === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1);
  return `${text} ${UNITS[unit]}`;
}
