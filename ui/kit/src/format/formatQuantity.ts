const unknown = "unknown";

/** USD. `null` and `undefined` are `unknown`, never 0; below a cent two digits that count are shown. */
export function formatMoney(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return unknown;
  const small = usd !== 0 && Math.abs(usd) < 0.01;
  return new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: "USD",
    ...(small ? { maximumSignificantDigits: 2 } : {}),
  }).format(usd);
}

/** A number in the reader's way, with at most two decimals: `1,234.5`. `null` and `undefined` are `unknown`. */
export function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return unknown;
  return new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 }).format(
    value,
  );
}

/** A share of 100: `12.5 %`. `null` and `undefined` are `unknown`. */
export function formatPercent(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return unknown;
  const digits = Math.abs(percent) >= 100 ? 0 : 1;
  const text = new Intl.NumberFormat(undefined, {
    maximumFractionDigits: digits,
  }).format(percent);
  return `${text} %`;
}

/** A number of tokens: `842`, `12.4k`, `1.2M`. `null` and `undefined` are `unknown`. */
export function formatTokens(count: number | null | undefined): string {
  if (count === null || count === undefined) return unknown;
  return toShort(count, 1000, ["", "k", "M", "B"], "");
}

/** A size: `512 B`, `12.4 kB`, `1.2 MB`. `null` and `undefined` are `unknown`. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return unknown;
  return toShort(bytes, 1000, ["B", "kB", "MB", "GB", "TB"], " ");
}

/** A duration in at most two units: `340 ms`, `4.2 s`, `3 min 4 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return unknown;
  const length = Math.max(0, ms);
  if (length < 999.5) return `${Math.round(length)} ms`;
  if (length < 9_950) return `${(length / 1_000).toFixed(1)} s`;
  const seconds = Math.round(length / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return pair(seconds, 60, "min", "s");
  const minutes = Math.round(length / 60_000);
  if (minutes < 1_440) return pair(minutes, 60, "h", "min");
  return pair(Math.round(length / 3_600_000), 24, "d", "h");
}

function pair(
  amount: number,
  size: number,
  large: string,
  small: string,
): string {
  const rest = amount % size;
  return `${Math.floor(amount / size)} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}

function toShort(
  amount: number,
  step: number,
  names: readonly string[],
  space: string,
): string {
  let value = amount;
  let index = 0;
  // 999.7 k would be shown as "1000k".
  while (Math.abs(value) >= step - 0.5 && index < names.length - 1) {
    value /= step;
    index += 1;
  }
  const digits = index === 0 || Math.abs(value) >= 100 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, "")}${space}${names[index] ?? ""}`;
}
