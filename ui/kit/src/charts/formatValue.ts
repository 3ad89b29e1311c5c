/** Writes a value of a chart; `–` where there is none. */
export function formatValue(
  value: number | null,
  format: (value: number) => string,
): string {
  return value === null ? "–" : format(value);
}
