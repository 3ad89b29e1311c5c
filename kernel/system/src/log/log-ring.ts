import type { DaemonLogLine } from "@gantry/plugin";

/** Maximum number of lines. */
const MAX_LINES = 2_000;
const MAX_BYTES = 1024 * 1024;

/** The newest log lines, in memory. */
export interface LogRing {
  add(line: Omit<DaemonLogLine, "number">): void;
  /** As `DaemonView.logLines`. */
  read(options?: { after?: number; limit?: number }): DaemonLogLine[];
}

/**
 * Creates an empty ring, which drops its oldest lines for new ones.
 *
 * @param newest The number before the first line. By default it is higher than those of an earlier daemon, which writes
 * less than one line per millisecond, so that a client which asks for lines after one of that daemon receives all.
 */
export function createLogRing(
  maxLines = MAX_LINES,
  maxBytes = MAX_BYTES,
  newest = Date.now(),
): LogRing {
  // As JSON, since a cut string would keep the whole original in memory.
  const lines: { number: number; json: string; bytes: number }[] = [];
  let total = 0;
  let last = newest;
  return {
    add(line) {
      const number = ++last;
      const json = JSON.stringify({ number, ...line });
      const bytes = Buffer.byteLength(json);
      lines.push({ number, json, bytes });
      total += bytes;
      while (lines.length > maxLines || total > maxBytes)
        total -= lines.shift()?.bytes ?? total;
    },
    read({ after, limit = maxLines } = {}) {
      const found = lines.filter(({ number }) => number > (after ?? 0));
      const [start, end] =
        after === undefined
          ? [Math.max(0, found.length - limit), found.length]
          : [0, Math.max(0, limit)];
      return found
        .slice(start, end)
        .map(({ json }) => JSON.parse(json) as DaemonLogLine);
    },
  };
}
