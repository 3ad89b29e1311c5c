import type { PlannedSchedule } from "../../src/schedule/plan.ts";
import type { Slots } from "../../src/schedule/slots.ts";
import { toCronText } from "../support/minute-walk.ts";
import type { MinuteWalk, PlainRule } from "../support/minute-walk.ts";
import type { Random } from "./random.ts";
import { judge } from "./verdict.ts";
import type { Findings } from "./verdict.ts";
import { createWorld, SLOWEST_CLAIM_MS } from "./world.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A zone, and the moment round which things happen. */
export interface Place {
  zone: string;
  edge: number;
}

const EVERY_MINUTE = [...Array(60).keys()];

export function makeRule(random: Random): PlainRule {
  const kind = random.integer(0, 9);
  const minutes =
    kind < 1
      ? EVERY_MINUTE
      : kind < 4
        ? EVERY_MINUTE.filter(
            (minute) => minute % random.pick([5, 10, 15, 20]) === 0,
          )
        : random.some(random.integer(1, 3), 59);
  const hours = random.chance(0.4)
    ? null
    : // Where clocks change, they mostly do it in the first hours of a day.
      random.some(random.integer(1, 4), random.chance(0.6) ? 3 : 23);
  const days = random.chance(0.9)
    ? null
    : [...random.some(6, 28).map((day) => day + 1), 29, 30, 31];
  const weekdays = random.chance(0.85)
    ? null
    : random.some(random.integer(2, 5), 6);
  return { minutes, hours, days, months: null, weekdays };
}

/** Lets a few automations live through two or three days round an edge, and judges every slot of theirs. */
export function playScenario(
  { zone, edge }: Place,
  random: Random,
  { slots, walk }: { slots: Slots; walk: MinuteWalk },
  findings: Findings,
): void {
  const rules = new Map<string, PlainRule>();
  let count = 0;
  const ids = ["one", "two", "three"].slice(0, random.integer(1, 3));
  const settings = new Map<
    string,
    { enabled: boolean; schedules: readonly PlannedSchedule[] }
  >();

  function makeSchedule(id = `sch_${count++}`): PlannedSchedule {
    const rule = makeRule(random);
    const cron = toCronText(rule);
    rules.set(cron, rule);
    return {
      id,
      enabled: random.chance(0.95),
      frequency: "custom",
      cron,
      time: null,
      weekday: null,
      minute: null,
      timeZone: zone,
    };
  }

  function change(world: World, id: string): void {
    const { enabled, schedules } = settings.get(id)!;
    const which = random.integer(0, schedules.length - 1);
    const replace = (next: (old: PlannedSchedule) => PlannedSchedule) =>
      schedules.map((old, index) => (index === which ? next(old) : old));
    const next = random.pick([
      () => ({ enabled: !enabled, schedules }),
      () => ({
        enabled: true,
        schedules: replace((old) => ({ ...old, enabled: !old.enabled })),
      }),
      () => ({
        enabled,
        schedules: replace((old) => ({
          ...makeSchedule(old.id),
          enabled: true,
        })),
      }),
      () => ({ enabled: true, schedules: replace(() => makeSchedule()) }),
      () => ({ enabled: true, schedules }),
    ])();
    settings.set(id, next);
    world.change(id, next);
  }

  const start =
    edge - random.integer(6 * 60, 30 * 60) * MINUTE + random.integer(0, 59_999);
  const world = createWorld(slots, random, start);
  for (const id of ids) {
    const schedules = Array.from({ length: random.integer(1, 3) }, () =>
      makeSchedule(),
    );
    settings.set(id, { enabled: true, schedules });
    world.change(id, { enabled: true, schedules });
  }
  for (let step = random.integer(4, 14); step > 0; step--) {
    world.advance(
      random.integer(1, 7 * 60) * MINUTE + random.integer(0, 59_999),
    );
    playBreak(world, random, ids, change);
  }
  world.advance(random.integer(1, 3) * HOUR);

  if (world.overlaps > 0)
    findings.wrong.push(`${world.overlaps} runs of one automation overlapped`);
  for (const epoch of world.epochs) {
    const rule = rules.get(epoch.schedule.cron!)!;
    judge(epoch, { rule, zone }, walk, findings, {
      schedules: 3 * ids.length,
      slowestClaimMs: SLOWEST_CLAIM_MS,
    });
  }
}

function playBreak(
  world: World,
  random: Random,
  ids: readonly string[],
  change: (world: World, id: string) => void,
): void {
  const away = random.chance(0.3)
    ? random.integer(0, 90 * SECOND)
    : random.integer(1, 9 * 60) * MINUTE;
  const some = random.integer(1, 4);
  const acts = [
    () => world.restart(away),
    () => world.sleep(away),
    () => world.hold(away),
    () => world.setWall(random.chance(0.5) ? away : -away),
    // A clock that was set wrong and corrected, before or after the daemon could notice.
    () => {
      world.setWall(away);
      world.advance(random.pick([SECOND, 20 * SECOND, HOUR]));
      world.setWall(-away);
    },
    // Days off, which is a clock that was wrong before.
    () => world.setWall((random.chance(0.5) ? -1 : 1) * 26 * HOUR),
    () => {
      // It wakes for moments only.
      for (let time = 0; time < some; time++) {
        world.sleep(random.integer(1, 40) * MINUTE);
        world.advance(random.integer(1, 20) * SECOND);
      }
    },
    () => change(world, random.pick(ids)),
    () => change(world, random.pick(ids)),
    () => world.runNow(random.pick(ids)),
    () => {
      change(world, random.pick(ids));
      world.restart(random.integer(0, 5_000));
    },
  ];
  random.pick(acts)();
}
