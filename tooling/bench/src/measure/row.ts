/** One figure of a benchmark. */
export interface Row {
  /** What was measured. */
  what: string;
  /** The figure, with its unit. */
  ours: string;
  /** What it is compared with: a peer in the same run, or a limit. */
  against: string;
  ratio: number;
  /** What the ratio, or the figure, should be. */
  aim: string;
  isMet: boolean;
}

/** Ours divided by a peer's, where more is better. */
export function atLeast(
  what: string,
  ours: string,
  against: string,
  ratio: number,
  least: number,
): Row {
  return {
    what,
    ours,
    against,
    ratio,
    aim: `≥ ${least} ×`,
    isMet: ratio >= least,
  };
}

/** Ours divided by a peer's, where less is better. */
export function atMost(
  what: string,
  ours: string,
  against: string,
  ratio: number,
  most: number,
): Row {
  return {
    what,
    ours,
    against,
    ratio,
    aim: `≤ ${most} ×`,
    isMet: ratio <= most,
  };
}

/** A figure against a limit that it should stay under. What was measured beside it tells what the machine alone takes. */
export function under(
  what: string,
  value: number,
  limit: number,
  show: (value: number) => string,
  beside?: string,
): Row {
  const ratio = value / limit;
  return {
    what,
    ours: show(value),
    against: beside === undefined ? "limit" : `limit (${beside})`,
    ratio,
    aim: `≤ ${show(limit)}`,
    isMet: ratio <= 1,
  };
}

/** A figure against a limit that it should reach. */
export function over(
  what: string,
  value: number,
  limit: number,
  show: (value: number) => string,
): Row {
  const ratio = value / limit;
  return {
    what,
    ours: show(value),
    against: "limit",
    ratio,
    aim: `≥ ${show(limit)}`,
    isMet: ratio >= 1,
  };
}

export const perSecond = (value: number): string =>
  `${Math.round(value).toLocaleString("en")}/s`;
export const milliseconds = (value: number): string =>
  `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
export const percent = (value: number): string =>
  `${(value * 100).toFixed(1)} %`;
export const kilobytes = (value: number): string =>
  `${(value / 1000).toFixed(1)} kB`;
export const megabytes = (value: number): string =>
  `${(value / 1e6).toFixed(1)} MB`;

/** The rows as a table for a terminal. */
export function renderTable(rows: readonly Row[]): string {
  const head = ["What", "Gantry", "Against", "Ratio", "Aim", ""];
  const lines = rows.map(({ what, ours, against, ratio, aim, isMet }) => [
    what,
    ours,
    against,
    ratio.toFixed(2),
    aim,
    isMet ? "ok" : "missed",
  ]);
  const widths = head.map((title, column) =>
    Math.max(...[head, ...lines].map((line) => (line[column] ?? title).length)),
  );
  const render = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [
    render(head),
    widths.map((width) => "─".repeat(width)).join("  "),
    ...lines.map(render),
  ].join("\n");
}
