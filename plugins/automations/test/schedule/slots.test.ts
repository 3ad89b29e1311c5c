import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { toRule } from "../../src/schedule/rule.ts";
import type { Rule, ScheduleTimes } from "../../src/schedule/rule.ts";
import { createSlots } from "../../src/schedule/slots.ts";
import { createMinuteWalk, toCronText } from "../support/minute-walk.ts";
import type { PlainRule } from "../support/minute-walk.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const slots = createSlots();
const walkMinutes = createMinuteWalk();

const cronRule = (cron: string, timeZone: string): Rule =>
  toRule({
    frequency: "custom",
    cron,
    timeZone,
    time: null,
    weekday: null,
    minute: null,
  });

/** All slots in a span, forwards. */
function slotsBetween(rule: Rule, from: number, until: number): number[] {
  const found: number[] = [];
  for (let at: number | undefined = from - 1; ;) {
    at = slots.next(rule, at);
    if (at === undefined || at > until) return found;
    found.push(at);
  }
}

/** All slots in a span, found backwards. */
function slotsBackwards(rule: Rule, from: number, until: number): number[] {
  const found: number[] = [];
  for (let at = slots.last(rule, until); at !== undefined && at >= from;) {
    found.unshift(at);
    at = slots.last(rule, at - 1);
  }
  return found;
}

const iso = (instants: readonly number[]) =>
  instants.map((instant) => new Date(instant).toISOString());

/** Slots of one local day, as ISO times. */
const inSpan = (cron: string, zone: string, from: string, until: string) =>
  iso(slotsBetween(cronRule(cron, zone), Date.parse(from), Date.parse(until)));

describe("a slot that clocks skip fires once, at the end of the gap", () => {
  test.each([
    [
      "30 2 * * *",
      "America/New_York",
      "2026-03-08",
      "2026-03-08T07:00:00.000Z",
    ],
    ["0 2 * * *", "America/New_York", "2026-03-08", "2026-03-08T07:00:00.000Z"],
    [
      "*/15 2 * * *",
      "America/New_York",
      "2026-03-08",
      "2026-03-08T07:00:00.000Z",
    ],
    [
      "30 2 * * 0",
      "America/New_York",
      "2026-03-08",
      "2026-03-08T07:00:00.000Z",
    ],
    ["0 0 * * *", "America/Havana", "2026-03-08", "2026-03-08T05:00:00.000Z"],
    [
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03",
      "2026-10-03T15:30:00.000Z",
    ],
    ["0 9 * * *", "Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"],
  ])("%s in %s on %s", (cron, zone, day, expected) => {
    expect(inSpan(cron, zone, `${day}T04:00:00Z`, `${day}T16:00:00Z`)).toEqual([
      expected,
    ]);
  });

  test("the day after is as usual", () => {
    expect(
      inSpan(
        "30 2 * * *",
        "America/New_York",
        "2026-03-07T00:00:00Z",
        "2026-03-10T00:00:00Z",
      ),
    ).toEqual([
      "2026-03-07T07:30:00.000Z",
      "2026-03-08T07:00:00.000Z",
      "2026-03-09T06:30:00.000Z",
    ]);
  });

  test("two slots in one gap are one, and one with a slot at its end", () => {
    expect(
      inSpan(
        "0,30 2,3 * * *",
        "America/New_York",
        "2026-03-08T05:00:00Z",
        "2026-03-08T12:00:00Z",
      ),
    ).toEqual(["2026-03-08T07:00:00.000Z", "2026-03-08T07:30:00.000Z"]);
  });
});

describe("a slot that clocks repeat fires once, the first time", () => {
  test.each([
    [
      "30 1 * * *",
      "America/New_York",
      "2026-11-01",
      "2026-11-01T05:30:00.000Z",
    ],
    ["30 0 * * *", "America/Havana", "2026-11-01", "2026-11-01T04:30:00.000Z"],
    [
      "45 1 * * *",
      "Australia/Lord_Howe",
      "2026-04-04",
      "2026-04-04T14:45:00.000Z",
    ],
    [
      "45 * * * *",
      "Australia/Lord_Howe",
      "2026-04-04",
      "2026-04-04T14:45:00.000Z",
    ],
  ])("%s in %s on %s", (cron, zone, day, expected) => {
    const from = Date.parse(expected) - 40 * MINUTE;
    const until = new Date(Date.parse(expected) + 70 * MINUTE).toISOString();
    expect(inSpan(cron, zone, new Date(from).toISOString(), until)).toEqual([
      expected,
    ]);
    expect(expected).toContain(day);
  });
});

describe("a rule that fires in every hour keeps its spacing", () => {
  test.each([
    ["America/New_York", "2026-03-08"],
    ["America/New_York", "2026-11-01"],
    ["Europe/Berlin", "2026-10-25"],
    ["America/Havana", "2026-11-01"],
  ])("in %s on %s", (zone, day) => {
    const from = Date.parse(`${day}T00:00:00Z`) - 12 * HOUR;
    const spacing = (cron: string) => {
      const found = slotsBetween(cronRule(cron, zone), from, from + 48 * HOUR);
      return new Set(found.slice(1).map((slot, index) => slot - found[index]!));
    };
    expect(spacing("*/30 * * * *")).toEqual(new Set([30 * MINUTE]));
    expect(spacing("7 * * * *")).toEqual(new Set([HOUR]));
  });

  test("*/15 on Lord Howe, where clocks move by half an hour", () => {
    for (const day of ["2026-04-04", "2026-10-03"]) {
      const from = Date.parse(`${day}T12:00:00Z`);
      const found = slotsBetween(
        cronRule("*/15 * * * *", "Australia/Lord_Howe"),
        from,
        from + 6 * HOUR,
      );
      expect(found).toHaveLength(25);
    }
  });
});

/** Days on which something happens to clocks, and ordinary ones. */
const EDGES: readonly [zone: string, day: string][] = [
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/London", "2026-10-25"],
  ["Australia/Lord_Howe", "2026-04-04"],
  ["Australia/Lord_Howe", "2026-10-03"],
  ["America/Havana", "2026-03-08"],
  ["America/Havana", "2026-11-01"],
  ["Pacific/Apia", "2011-12-30"],
  ["Pacific/Chatham", "2026-09-26"],
  ["Pacific/Easter", "2026-04-05"],
  ["Africa/Cairo", "2026-04-24"],
  ["Africa/Casablanca", "2026-02-15"],
  ["Antarctica/Troll", "2026-03-29"],
  ["Antarctica/Troll", "2026-10-25"],
  ["America/Caracas", "2016-05-01"],
  ["Asia/Pyongyang", "2018-05-04"],
  ["Asia/Pyongyang", "2015-08-14"],
  ["America/Sao_Paulo", "2018-11-04"],
  ["America/Sao_Paulo", "2019-02-17"],
  ["America/Nuuk", "2024-03-31"],
  ["Asia/Kathmandu", "2026-06-01"],
  ["UTC", "2028-02-29"],
];

const some = (from: number, to: number, most: number) =>
  fc.uniqueArray(fc.integer({ min: from, max: to }), {
    minLength: 1,
    maxLength: most,
  });
const orAny = (arbitrary: fc.Arbitrary<number[]>) =>
  fc.option(arbitrary, { nil: null, freq: 2 });

const plainRule: fc.Arbitrary<PlainRule> = fc.record({
  minutes: fc.oneof(
    some(0, 59, 4),
    fc.constantFrom([0, 15, 30, 45], [0, 30], [...Array(60).keys()]),
  ),
  hours: fc.oneof(fc.constant(null), some(0, 23, 4), some(0, 3, 4)),
  days: fc.option(some(1, 31, 10), { nil: null, freq: 4 }),
  months: orAny(some(1, 12, 8)),
  weekdays: fc.option(some(0, 6, 3), { nil: null, freq: 3 }),
});

describe("the slots are those of a walk through each minute", () => {
  const spans = fc.record({
    edge: fc.constantFrom(...EDGES),
    shift: fc.integer({ min: -24, max: 24 }),
    rule: plainRule,
  });

  test("forwards and backwards, at all edges", () => {
    fc.assert(
      fc.property(spans, ({ edge: [zone, day], shift, rule }) => {
        const from = Date.parse(`${day}T00:00:00Z`) + shift * HOUR - 12 * HOUR;
        const until = from + 30 * HOUR;
        const expected = iso(walkMinutes(rule, zone, from, until));
        const made = cronRuleOrNone(toCronText(rule), zone);
        if (!made) return expected.length === 0;
        expect(iso(slotsBetween(made, from, until))).toEqual(expected);
        expect(iso(slotsBackwards(made, from, until))).toEqual(expected);
        return true;
      }),
      { numRuns: runs(150) },
    );
  });

  test(
    "in every zone that there is, at its next changes of clocks",
    { tags: "thorough" },
    () => {
      const probes = ["2 * * * *", "30 0,1,2,3 * * *", "*/20 * * * *"];
      const looked = new Set<string>();
      for (const zone of Intl.supportedValuesOf("timeZone")) {
        for (const { at: change, shift } of changesIn(zone, 2026)) {
          // Zones that change their clocks alike need to be looked at once.
          if (looked.has(`${change} ${shift}`)) continue;
          looked.add(`${change} ${shift}`);
          const from = change - 5 * HOUR;
          const until = change + 5 * HOUR;
          for (const cron of probes) {
            const rule = toPlain(cron);
            expect(
              iso(slotsBetween(cronRule(cron, zone), from, until)),
              `${cron} ${zone}`,
            ).toEqual(iso(walkMinutes(rule, zone, from, until)));
          }
        }
      }
    },
  );
});

test("an instant between two slots lies after the last and before the next", () => {
  fc.assert(
    fc.property(
      plainRule,
      fc.constantFrom(...EDGES),
      fc.integer({ min: 0, max: 400 * 24 * 60 }),
      (plain, [zone], minutes) => {
        const rule = cronRuleOrNone(toCronText(plain), zone);
        if (!rule) return;
        const at = Date.parse("2025-01-01T00:00:30Z") + minutes * MINUTE;
        const last = slots.last(rule, at);
        const next = slots.next(rule, at);
        expect(next).toBeGreaterThan(at);
        expect(last).toBeLessThanOrEqual(at);
        expect(slots.next(rule, last!)).toBe(next);
        expect(slots.last(rule, next! - 1)).toBe(last);
      },
    ),
    { numRuns: runs(200) },
  );
});

test("each frequency is the cron line that it looks like", () => {
  const zone = "Europe/Berlin";
  const from = Date.parse("2026-03-02T12:00:00Z");
  const empty = {
    time: null,
    weekday: null,
    minute: null,
    cron: null,
    timeZone: zone,
  };
  const cases: [Partial<ScheduleTimes>, string][] = [
    [{ frequency: "hourly", minute: 7 }, "7 * * * *"],
    [{ frequency: "daily", time: "09:05" }, "5 9 * * *"],
    [{ frequency: "weekdays", time: "23:59" }, "59 23 * * 1-5"],
    [{ frequency: "weekly", time: "00:00", weekday: 0 }, "0 0 * * 0"],
  ];
  for (const [times, cron] of cases) {
    const rule = toRule({ ...empty, ...times } as ScheduleTimes);
    expect(slotsBetween(rule, from, from + 20 * 24 * HOUR)).toEqual(
      slotsBetween(cronRule(cron, zone), from, from + 20 * 24 * HOUR),
    );
  }
});

test("a leap day comes when it comes", () => {
  expect(
    inSpan(
      "0 12 29 2 *",
      "UTC",
      "2026-01-01T00:00:00Z",
      "2033-01-01T00:00:00Z",
    ),
  ).toEqual(["2028-02-29T12:00:00.000Z", "2032-02-29T12:00:00.000Z"]);
});

function cronRuleOrNone(cron: string, zone: string): Rule | undefined {
  try {
    return cronRule(cron, zone);
  } catch {
    return undefined;
  }
}

function toPlain(cron: string): PlainRule {
  const [minutes = "", hours = ""] = cron.split(" ");
  const list = minutes.startsWith("*/")
    ? [...Array(60).keys()].filter(
        (minute) => minute % Number(minutes.slice(2)) === 0,
      )
    : minutes.split(",").map(Number);
  return {
    minutes: list,
    hours: hours === "*" ? null : hours.split(",").map(Number),
    days: null,
    months: null,
    weekdays: null,
  };
}

/** The changes of a zone's clocks in a year, to the half hour. */
function changesIn(
  zone: string,
  year: number,
): { at: number; shift: string }[] {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    timeZoneName: "longOffset",
  });
  const offset = (at: number) => format.format(at).split(", ").at(-1)!;
  const changes: { at: number; shift: string }[] = [];
  const step = 10 * 24 * HOUR;
  for (let at = Date.UTC(year, 0); at < Date.UTC(year + 1, 0); at += step) {
    const [before, after] = [offset(at), offset(at + step)];
    if (before === after) continue;
    let instant = at;
    while (offset(instant) === before) instant += 30 * MINUTE;
    changes.push({ at: instant, shift: `${before} to ${after}` });
  }
  return changes;
}
