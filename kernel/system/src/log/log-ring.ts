import type { DaemonLogLine } from "@gantry/plugin";

/** Lines that are kept at most. */
const MAX_LINES = 2_000;
const MAX_BYTES = 1024 * 1024;

/** The newest lines of the log, in memory. */
export type LogRing = ReturnType<typeof createLogRing>;

/**
 * Makes an empty ring, which gives up its oldest lines for new ones.
 *
 * @param newest The number before the first. Unless given it is beyond those of an earlier daemon, which writes less than a
 *   line each millisecond: so a client that asks for what follows a line of that one gets all.
 */
export function createLogRing(
  maxLines = MAX_LINES,
  maxBytes = MAX_BYTES,
  newest = Date.now(),
) {
  // As JSON: a text that was cut would keep the whole one in memory.
  const lines: { number: number; json: string; bytes: number }[] = [];
  let total = 0;
  let last = newest;
  return {
    add(line: Omit<DaemonLogLine, "number">): void {
      const number = ++last;
      const json = JSON.stringify({ number, ...line });
      const bytes = Buffer.byteLength(json);
      lines.push({ number, json, bytes });
      total += bytes;
      while (lines.length > maxLines || total > maxBytes)
        total -= lines.shift()?.bytes ?? total;
    },
    /** As `DaemonView.logLines`. */
    read({
      after,
      limit = maxLines,
    }: { after?: number; limit?: number } = {}): DaemonLogLine[] {
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
