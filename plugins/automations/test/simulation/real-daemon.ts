import type { AutomationView } from "../../src/wire/automation.ts";
import type { RunRecord } from "../../src/wire/run.ts";
import { createFakeAgents } from "../support/fake-agents.ts";
import { startBench } from "../support/start.ts";
import { toCronText } from "../support/minute-walk.ts";
import type { MinuteWalk, PlainRule } from "../support/minute-walk.ts";
import type { Random } from "./random.ts";
import { makeRule } from "./scenario.ts";
import type { Place } from "./scenario.ts";
import { judge } from "./verdict.ts";
import type { Findings } from "./verdict.ts";
import type { Epoch } from "./world.ts";

const MINUTE = 60_000;
/** The clock is moved a minute at a time, and what a minute set off is waited for. */
const STEP_MS = MINUTE;
/** Turns of the event loop in which the plugin's writes come to rest. */
const REST_TURNS = 40;

/** The plugin itself in a day round an edge, with its store, its routes and its runs; the agents are played. */
export async function playRealDaemon(
  { zone, edge }: Place,
  random: Random,
  walk: MinuteWalk,
  findings: Findings,
): Promise<void> {
  const rules = new Map<string, PlainRule>();
  const agents = createFakeAgents();
  agents.answer = () => ({});
  const startAt = new Date(
    edge - random.integer(2 * 60, 12 * 60) * MINUTE + random.integer(0, 59_999),
  ).toISOString();
  await using bench = await startBench({ startAt, agents });
  const { kernel } = bench;
  const { clock } = kernel;
  const epochs: Epoch[] = [];
  const open = new Map<string, Epoch>();
  const seen = new Map<string, number>();
  /** The latest slot that a schedule claimed: under the same rule it stays claimed, also where the clock comes by again. */
  const lastSlots = new Map<string, { cron: string | null; slotAt: number }>();

  function makeSchedule(id?: string) {
    const rule = makeRule(random);
    const cron = toCronText(rule);
    rules.set(cron, rule);
    return { id, frequency: "custom", cron, timeZone: zone };
  }

  function follow(automation: AutomationView): void {
    for (const schedule of automation.schedules) {
      const { id, cron, offsetMs } = schedule;
      const armedAt = Date.parse(schedule.armedAt);
      if (lastSlots.get(id)?.cron !== cron) lastSlots.delete(id);
      const current = open.get(id);
      const isOn = automation.enabled && schedule.enabled;
      if (
        isOn &&
        current?.armedAt === armedAt &&
        current.schedule.cron === cron
      )
        continue;
      open.delete(id);
      if (!isOn) continue;
      const awake = [{ from: clock.now(), until: clock.now() }];
      const lastSlotAt = lastSlots.get(id)?.slotAt;
      const epoch = {
        schedule,
        armedAt,
        offsetMs,
        lastSlotAt,
        claims: [],
        awake,
      };
      open.set(id, epoch);
      epochs.push(epoch);
    }
  }

  async function rest(): Promise<void> {
    for (let turn = 0; turn < REST_TURNS; turn++)
      await new Promise((resolve) => setImmediate(resolve));
  }

  async function advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(Math.min(left, STEP_MS));
      await rest();
    }
    for (const { awake } of open.values()) awake.at(-1)!.until = clock.now();
  }

  async function readRuns(id: string): Promise<void> {
    const known = seen.get(id) ?? 0;
    const runs: RunRecord[] = [];
    let cursor: string | null | undefined;
    do {
      const { body } = await kernel.api.get<{
        items: RunRecord[];
        nextCursor: string | null;
      }>(`/api/automations/${id}/runs`, {
        limit: 500,
        ...(cursor && { cursor }),
      });
      runs.unshift(...body.items.toReversed());
      cursor = body.nextCursor;
    } while (cursor !== null && runs[0]!.number > known + 1);
    for (const run of runs.filter(({ number }) => number > known)) {
      seen.set(id, run.number);
      if (run.scheduleId === null) continue;
      const { claims, awake, schedule } = open.get(run.scheduleId)!;
      const slotAt = Date.parse(run.slotAt!);
      lastSlots.set(run.scheduleId, { cron: schedule.cron, slotAt });
      claims.push({
        slotAt,
        firedAt: Date.parse(run.firedAt),
        trigger: run.trigger === "catch-up" ? "catch-up" : "schedule",
        result: run.result === "skipped" ? "busy" : "run",
        stretch: awake.length - 1,
      });
    }
  }

  const ids: string[] = [];
  for (let count = 0; count < 2; count++) {
    const schedules = [makeSchedule(), makeSchedule()].filter(
      ({ cron }, index, all) => index === 0 || all[0]!.cron !== cron,
    );
    const automation = await bench.create({ schedules });
    ids.push(automation.id);
    follow(automation);
  }
  for (let step = random.integer(3, 5); step > 0; step--) {
    // Some runs take their time, so that others find the automation busy.
    agents.answer = random.chance(0.3) ? undefined : () => ({});
    await advance(
      random.integer(20, 4 * 60) * MINUTE + random.integer(0, 59_999),
    );
    for (const run of agents.runs) run.finish();
    agents.answer = () => ({});
    await rest();
    for (const id of ids) await readRuns(id);
    await playBreak();
  }
  await advance(90 * MINUTE);
  for (const id of ids) await readRuns(id);
  for (const epoch of epochs) {
    const rule = rules.get(epoch.schedule.cron!)!;
    const patience = { schedules: 4, slowestClaimMs: STEP_MS };
    judge(epoch, { rule, zone }, walk, findings, patience);
  }

  function resume(): void {
    for (const { awake } of open.values())
      awake.push({ from: clock.now(), until: clock.now() });
  }

  async function playBreak(): Promise<void> {
    const away = random.integer(1, 5 * 60) * MINUTE;
    const id = random.pick(ids);
    const { schedules, enabled } = await bench.get(id);
    const patch = async (body: object) => {
      const answer = await kernel.api.patch<{ automation: AutomationView }>(
        `/api/automations/${id}`,
        body,
      );
      if (answer.status === 200) follow(answer.body.automation);
    };
    await random.pick([
      async () => {
        await kernel.kernel.stop();
        await clock.advance(away);
        await kernel.restart();
        resume();
      },
      async () => {
        clock.jumpWall(clock.now() + away);
        resume();
      },
      async () => {
        clock.jumpWall(clock.now() - away);
        resume();
      },
      () => patch({ enabled: !enabled }),
      () =>
        patch({
          enabled: true,
          schedules: [makeSchedule(schedules[0]!.id), ...schedules.slice(1)],
        }),
      async () => void (await bench.runNow(id)),
    ])();
  }
}
