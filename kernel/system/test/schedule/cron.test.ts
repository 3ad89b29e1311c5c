import { expect, onTestFinished, test, vi } from "vitest";
import { createFakeClock } from "../../../testing/src/index.ts";
import { scheduleJob } from "@gantry/system/schedule/cron";
import { createRecordingLog } from "../../../store/test/support/store.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function start(
  line: string,
  {
    at = "2026-03-02T12:00:00.000Z",
    timezone = "UTC",
    job = () => {},
  }: {
    at?: string;
    timezone?: string;
    job?: (signal: AbortSignal) => void | Promise<void>;
  } = {},
) {
  const clock = createFakeClock(at);
  const log = createRecordingLog();
  const runs: string[] = [];
  const stop = scheduleJob(
    {
      plugin: "a",
      line,
      timezone,
      job(signal) {
        runs.push(clock.timestamp());
        return job(signal);
      },
    },
    { clock, log },
  );
  onTestFinished(stop);
  return { clock, log, runs, stop };
}

test("a job runs at the times of its line", async () => {
  const { clock, runs } = start("*/20 13 * * *");
  await clock.advance(3 * HOUR);
  expect(runs).toEqual([
    "2026-03-02T13:00:00.000Z",
    "2026-03-02T13:20:00.000Z",
    "2026-03-02T13:40:00.000Z",
  ]);
});

test("the times are those of its zone, also on the days when its clocks are changed", async () => {
  const spring = start("30 2 * * *", {
    at: "2026-03-07T12:00:00.000Z",
    timezone: "America/New_York",
  });
  await spring.clock.advance(72 * HOUR);
  expect(spring.runs).toHaveLength(3);
  expect(spring.runs[0]).toBe("2026-03-08T07:00:00.000Z");
  expect(spring.runs.slice(1)).toEqual([
    "2026-03-09T06:30:00.000Z",
    "2026-03-10T06:30:00.000Z",
  ]);
  const autumn = start("30 1 * * *", {
    at: "2026-10-31T12:00:00.000Z",
    timezone: "America/New_York",
  });
  await autumn.clock.advance(48 * HOUR);
  expect(autumn.runs).toEqual([
    "2026-11-01T05:30:00.000Z",
    "2026-11-02T06:30:00.000Z",
  ]);
});

test.each(["UTC", "Etc/UTC"])(
  "a job in %s loads no data of time zones",
  async (timezone) => {
    const format = vi.spyOn(Intl, "DateTimeFormat");
    onTestFinished(() => format.mockRestore());
    const { clock, runs } = start("30 2 * * *", { timezone });
    await clock.advance(24 * HOUR);
    expect(runs).toEqual(["2026-03-03T02:30:00.000Z"]);
    expect(format).not.toHaveBeenCalled();
  },
);

test("after a sleep of the machine one run catches up with what was missed", async () => {
  const { clock, runs } = start("0 * * * *");
  clock.jumpWall("2026-03-02T20:30:00.000Z");
  await clock.advance(30_000);
  expect(runs).toEqual(["2026-03-02T20:30:30.000Z"]);
  await clock.advance(HOUR);
  expect(runs.slice(1)).toEqual(["2026-03-02T21:00:00.000Z"]);
});

test("a clock that is set back does not keep a job waiting", async () => {
  const { clock, runs } = start("*/5 * * * *");
  await clock.advance(6 * MINUTE);
  clock.jumpWall("2026-03-02T08:01:00.000Z");
  await clock.advance(10 * MINUTE);
  expect(runs).toEqual([
    "2026-03-02T12:05:00.000Z",
    "2026-03-02T08:05:00.000Z",
    "2026-03-02T08:10:00.000Z",
  ]);
});

test("a running job is not started again; a time that it missed is caught up with one run", async () => {
  const releases: (() => void)[] = [];
  const { clock, runs } = start("* * * * *", {
    job: () => new Promise((resolve) => releases.push(resolve)),
  });
  await clock.advance(10 * MINUTE + 30_000);
  expect(runs).toHaveLength(1);
  releases[0]?.();
  await clock.advance(0);
  expect(runs).toEqual([
    "2026-03-02T12:01:00.000Z",
    "2026-03-02T12:10:30.000Z",
  ]);
  releases[1]?.();
  await clock.advance(MINUTE);
  expect(runs.slice(2)).toEqual(["2026-03-02T12:11:00.000Z"]);
});

test("a job that throws is reported and runs again the next time", async () => {
  const { clock, log, runs } = start("* * * * *", {
    job: () => {
      throw new Error("Bad job");
    },
  });
  await clock.advance(2 * MINUTE);
  expect(runs).toHaveLength(2);
  expect(log.lines).toEqual([
    { level: "error", message: "Job failed" },
    { level: "error", message: "Job failed" },
  ]);
});

test("once it is removed it never runs again, and the running one is aborted", async () => {
  const heard = vi.fn<() => void>();
  const { clock, runs, stop } = start("* * * * *", {
    job: (signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => (heard(), resolve())),
      ),
  });
  await clock.advance(MINUTE);
  stop();
  stop();
  await clock.advance(HOUR);
  expect(runs).toHaveLength(1);
  expect(heard).toHaveBeenCalledOnce();
  expect(clock.pending).toBe(0);
});

test.each([
  "",
  " ",
  "* * * *",
  "* * * * * *",
  "* * * * * * *",
  "@hourly",
  "@reboot",
  "@every 1m",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 8",
  "*/0 * * * *",
  "5-1 * * * *",
  "a * * * *",
  "* * L * *",
  "* * 15W * *",
  "* * * * 1#2",
  "? * * * *",
  "１ * * * *",
  "* * * * *\n* * * * *",
  "*\t* * * * *",
  `${"0,".repeat(200)}0 * * * *`,
])("%o is no line", (line) => {
  expect(() => start(line)).toThrow();
});

test.each(["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"])(
  "%s never fires and is refused",
  (line) => {
    expect(() => start(line)).toThrow(/never fires/);
  },
);

test.each(["", "Nowhere/City", "UTC+25", "local", "../../etc/passwd"])(
  "%o is no time zone",
  (timezone) => {
    expect(() => start("* * * * *", { timezone })).toThrow();
  },
);

test("days and months may be named", async () => {
  const { clock, runs } = start("0 0 * jan-mar Mon,TUE");
  await clock.advance(36 * HOUR);
  expect(runs).toEqual(["2026-03-03T00:00:00.000Z"]);
});

test("a rare time is waited for", async () => {
  const { clock, runs } = start("0 0 29 2 *", {
    at: "2028-02-28T23:59:00.000Z",
  });
  await clock.advance(2 * MINUTE);
  expect(runs).toEqual(["2028-02-29T00:00:00.000Z"]);
});
