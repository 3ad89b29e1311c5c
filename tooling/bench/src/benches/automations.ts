import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createScheduler } from "../../../../plugins/automations/src/schedule/scheduler.ts";
import { createSlots } from "../../../../plugins/automations/src/schedule/slots.ts";
import { ask } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { readCpu, readMemory } from "../measure/process.ts";
import { megabytes, milliseconds, under } from "../measure/row.ts";
import { median, percentile99 } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const AUTOMATIONS = 10_000;
const RULES = 3;
const AT_ONCE = 50;
const LISTS = 100;
const REST_MS = 5_000;
const WINDOW_MS = 20_000;
const MAX_START_MS = 5_000;
const MAX_CPU_PERCENT = 2;
const MAX_TICK_MS = 250;
const MAX_LIST_MS = 50;
const MAX_MEMORY_BYTES = 400e6;
const HOUR_MS = 3_600_000;
const percent = (value: number): string => `${value.toFixed(2)} %`;

/** Rules of one automation, spread over the week, none of which fires while it is measured. */
function rulesOf(index: number): object[] {
  const day = new Date(Date.now() + 2 * 24 * HOUR_MS).getUTCDay();
  return Array.from({ length: RULES }, (_, rule) => ({
    frequency: "weekly",
    weekday: (day + ((index + rule) % 4)) % 7,
    time: `${String((index + rule * 7) % 24).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}`,
    timeZone: ["Europe/Berlin", "America/New_York", "Asia/Kathmandu"][rule],
  }));
}

async function fill(daemon: Daemon, workspace: string): Promise<void> {
  const create = (index: number) =>
    ask(daemon, "POST", "/api/automations", {
      name: `Automation ${index}`,
      prompt: "Say what is new.",
      workspace,
      schedules: rulesOf(index),
    });
  for (let from = 0; from < AUTOMATIONS; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => create(from + index)),
    );
}

/** A day of the scheduler alone, with hourly rules of all automations: how long each look at the clock takes, in ms. */
function measureTicks(): number[] {
  const slots = createSlots();
  const start = Date.UTC(2026, 2, 2);
  const scheduler = createScheduler(slots, { wall: start, monotonic: 0 });
  const times = (minute: number) =>
    ({
      frequency: "hourly",
      minute,
      time: null,
      weekday: null,
      cron: null,
      timeZone: "UTC",
    }) as const;
  const plan = (automationId: string, index: number, after: number) =>
    scheduler.plan(
      automationId,
      Array.from({ length: RULES }, (_, rule) => {
        const minute = (index + rule * 20) % 60;
        const slot = Math.floor(after / HOUR_MS) * HOUR_MS + minute * 60_000;
        return {
          automationId,
          scheduleId: `${automationId}-${rule}`,
          times: times(minute),
          offsetMs: index % 60_000,
          nextSlotAt: slot > after ? slot : slot + HOUR_MS,
        };
      }),
    );
  for (let index = 0; index < AUTOMATIONS; index++)
    plan(String(index), index, start);
  const ticks: number[] = [];
  let now = 0;
  while (now < 6 * HOUR_MS) {
    const moment = { wall: start + now, monotonic: now };
    const begin = performance.now();
    const { firings, waitMs = 1_000 } = scheduler.decide(moment);
    for (const { automationId } of firings)
      plan(automationId, Number(automationId), moment.wall);
    ticks.push(performance.now() - begin);
    now += Math.max(1, waitMs);
  }
  return ticks;
}

/** Ten thousand automations with three rules each. */
export const automations: Bench = {
  name: "automations",
  title: `${AUTOMATIONS.toLocaleString("en")} automations with ${RULES} rules each`,
  async run({ rounds, signal, say }) {
    await using folder = await createFolder();
    const workspace = join(folder.path, "work");
    await mkdir(workspace);
    const home = join(folder.path, "home");
    say("creating them, which takes a minute or two");
    {
      await using daemon = await startDaemon(home, signal);
      await fill(daemon, workspace);
    }
    const starts: number[] = [];
    const cpu: number[] = [];
    const memory: number[] = [];
    const lists: number[] = [];
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      say(`round ${round + 1}`);
      const begin = performance.now();
      await using daemon = await startDaemon(home, signal);
      // The plugin answers once it has planned all of them.
      await ask(daemon, "GET", "/api/automations");
      starts.push(performance.now() - begin);
      for (let count = 0; count < LISTS; count++) {
        const asked = performance.now();
        await ask(daemon, "GET", "/api/automations");
        lists.push(performance.now() - asked);
      }
      await sleep(REST_MS, undefined, { signal });
      const before = await readCpu(daemon.pid);
      await sleep(WINDOW_MS, undefined, { signal });
      cpu.push(((await readCpu(daemon.pid)) - before) / (WINDOW_MS / 100));
      memory.push(await readMemory(daemon.pid));
    }
    const what = "10,000 automations, 30,000 rules: ";
    return [
      under(
        `${what}start to first list`,
        median(starts),
        MAX_START_MS,
        milliseconds,
      ),
      under(`${what}processor at rest`, median(cpu), MAX_CPU_PERCENT, percent),
      under(`${what}memory`, median(memory), MAX_MEMORY_BYTES, megabytes),
      under(`${what}list, p99`, percentile99(lists), MAX_LIST_MS, milliseconds),
      under(
        `${what}tick of the scheduler, all hourly, p99`,
        percentile99(measureTicks()),
        MAX_TICK_MS,
        milliseconds,
      ),
    ];
  },
};
