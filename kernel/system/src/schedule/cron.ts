import { Cron } from "croner";
import type { Clock, Disposer, Log } from "@gantry/plugin";
import { createOwnedSignal } from "../context/owned-signal.ts";
import { runInContext } from "../context/work-context.ts";

/** A clock may jump or sleep, so the wall is looked at this often at least. */
const MAX_WAIT_MS = 30_000;
const MAX_LINE_LENGTH = 256;

/** One recurring job of a plugin. */
export interface CronJob {
  plugin: string;
  line: string;
  timezone: string;
  job: (signal: AbortSignal) => void | Promise<void>;
}

/**
 * Runs a job at the times of a five-field cron line, on the daemon's clock. A time that passes while the job is still
 * running, or while the machine sleeps, is caught up with one run.
 *
 * @throws RangeError for a line or zone that is not understood, or a line that never fires.
 */
export function scheduleJob(
  { plugin, line, timezone, job }: CronJob,
  { clock, log }: { clock: Clock; log: Log },
): Disposer {
  if (line.length > MAX_LINE_LENGTH)
    throw new RangeError(
      `The cron line is longer than ${MAX_LINE_LENGTH} characters.`,
    );
  if (!isPlainLine(line))
    throw new RangeError(
      `The cron line "${line}" is not five fields of numbers, names, * , - and /.`,
    );
  if (timezone === "") throw new RangeError("A cron line needs a time zone.");
  // UTC by its offset: of a zone by name Node loads the data and formats of its locale, which are 8 MB.
  const zone = /^(Etc\/)?UTC$/.test(timezone) ? { utcOffset: 0 } : { timezone };
  // Croner only computes times here; its own timers would follow the wall clock of the platform. A line that is parsed holds
  // 80 kB, more than parsing it again every half minute is worth.
  const nextAfter = (from: number): number | undefined =>
    new Cron(line, { ...zone, mode: "5-part", paused: true })
      .nextRun(new Date(from))
      ?.getTime();
  if (nextAfter(clock.now()) === undefined)
    throw new RangeError(`The cron line "${line}" never fires.`);

  const stopping = createOwnedSignal(plugin);
  let cancel: Disposer = () => {};

  const wait = (due: number | undefined): void => {
    if (due === undefined || stopping.signal.aborted) return;
    const left = due - clock.now();
    cancel = clock.after(Math.min(Math.max(left, 0), MAX_WAIT_MS), () => {
      const now = clock.now();
      // Computed again each time, since a clock that was set back has an earlier one.
      if (now < due) return wait(nextAfter(now));
      void runJob().then(() => wait(nextAfter(now)));
    });
  };

  async function runJob(): Promise<void> {
    try {
      await runInContext({ plugin }, async () => job(stopping.signal));
    } catch (error) {
      log.error("Job failed", { line }, error);
    }
  }

  wait(nextAfter(clock.now()));
  return () => {
    cancel();
    stopping.abort();
  };
}

const NAMES =
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b/gi;

/** Croner takes nicknames and signs of its own beside the five usual fields. */
function isPlainLine(line: string): boolean {
  return /^[\d*,/-]+( [\d*,/-]+){4}$/.test(line.replace(NAMES, "1"));
}
