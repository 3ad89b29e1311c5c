import { refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import type { World } from "../world/world.ts";
import { postJson } from "./requests.ts";

const custom = (cron: string) => ({
  frequency: "custom",
  cron,
  timeZone: "Etc/UTC",
});

const NO_CRON_LINES = [
  "* * * * * *",
  "0 0 1 1 * 2027",
  "* * * *",
  "",
  "@hourly",
  "@reboot",
  "0 0 L * *",
  "0 0 15W * *",
  "0 0 * * 1#2",
  "? * * * *",
  "*/0 * * * *",
  "*/-1 * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 8",
  "5-1 * * * *",
  "1,,2 * * * *",
  "１ * * * *",
  "* * * *\n*",
  "* * * * *\n* * * * *",
  "*\t*\t*\t*\t*",
  "TZ=UTC * * * * *",
  "* * * * * /bin/sh",
  `${"*/1,".repeat(80)}1 * * * *`,
  `${Array.from({ length: 20_000 }, () => "1").join()} * * * *`,
];

const NEVER = ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"];

const OTHER_SCHEDULES: Record<string, unknown> = {
  "24:00": { frequency: "daily", time: "24:00", timeZone: "Etc/UTC" },
  "weekday 8": {
    frequency: "weekly",
    time: "09:00",
    weekday: 8,
    timeZone: "Etc/UTC",
  },
  "minute 60": { frequency: "hourly", minute: 60, timeZone: "Etc/UTC" },
  "no zone": { frequency: "hourly", minute: 0 },
  "an empty zone": { frequency: "hourly", minute: 0, timeZone: "" },
  "a zone that is a path": {
    frequency: "hourly",
    minute: 0,
    timeZone: "../../etc/passwd",
  },
  "an offset": { frequency: "hourly", minute: 0, timeZone: "+01:00x" },
  "a word of another frequency": {
    frequency: "hourly",
    minute: 0,
    cron: "* * * * *",
    timeZone: "Etc/UTC",
  },
};

const NO_LIMITS = [
  { maxCostUsd: -1 },
  { maxCostUsd: 0 },
  { maxCostUsd: 1e308 },
  { maxCostUsd: "5" },
  { maxRunsPerHour: -1 },
  { maxRunsPerHour: 0 },
  { maxRunsPerHour: 1.5 },
  { maxRunsPerDay: 1e9 },
  { maxRunsPerWeek: "1" },
  { maxRunsPerMinute: 1 },
];

const NO_TARGETS = [
  "file:///etc/passwd",
  "gopher://127.0.0.1/",
  "javascript:alert(1)",
  "data:text/plain,x",
  "ftp://example.org/",
  "example.org",
  "http://user:pass@example.org/",
  "http://example.org/\r\nX: y",
  `http://example.org/${"x".repeat(4096)}`,
  "http://аррӏе.com/",
  "http://169.254.169.254/latest/meta-data/",
];

/** As what is created, and as what is changed of one that is there. */
function* saving(world: World, name: string, fields: object): Generator<Trial> {
  yield {
    name: `${name}, new`,
    send: postJson(world, "/api/automations", {
      name: "Hostile",
      prompt: "x",
      ...fields,
    }),
    expect: refused(400, "INPUT_INVALID"),
  };
  yield {
    name: `${name}, changed`,
    send: postJson(
      world,
      `/api/automations/${world.victims.automationId}`,
      fields,
      "PATCH",
    ),
    expect: refused(400, "INPUT_INVALID"),
  };
}

export const automations: readonly Row[] = [
  {
    id: "A112",
    title: "addresses to notify that are none, or not to be called",
    *trials(world) {
      for (const notifyUrl of NO_TARGETS)
        yield* saving(world, notifyUrl.slice(0, 60), { notifyUrl });
    },
  },
  {
    id: "A121",
    title: "cron lines of other dialects, and lines that are none",
    *trials(world) {
      for (const cron of NO_CRON_LINES)
        yield* saving(world, JSON.stringify(cron.slice(0, 40)), {
          schedules: [custom(cron)],
        });
    },
  },
  {
    id: "A122",
    title: "lines that never fire",
    *trials(world) {
      for (const cron of NEVER)
        yield* saving(world, cron, { schedules: [custom(cron)] });
    },
  },
  {
    id: "A124",
    title:
      "more schedules than an automation may have, and times that are none",
    *trials(world) {
      const many = Array.from({ length: 1000 }, (_, n) =>
        custom(`${n % 60} ${n % 24} * * *`),
      );
      yield* saving(world, "1,000 schedules", { schedules: many });
      yield* saving(world, "21 schedules", { schedules: many.slice(0, 21) });
      yield* saving(world, "two that are equal", {
        schedules: [custom("0 9 * * *"), custom("0 9 * * *")],
      });
      for (const [name, schedule] of Object.entries(OTHER_SCHEDULES))
        yield* saving(world, name, { schedules: [schedule] });
    },
  },
  {
    id: "A124b",
    title: "more automations than there may be",
    provedBy: [
      [
        "plugins/automations/test/automations.test.ts",
        "there are at most as many automations as the configuration says",
      ],
    ],
  },
  {
    id: "A125",
    title: "limits that are none",
    *trials(world) {
      for (const limits of NO_LIMITS)
        yield* saving(world, JSON.stringify(limits), { limits });
      for (const number of ["NaN", "Infinity", "-0x1", "1e999"])
        yield {
          name: number,
          send: postJson(
            world,
            "/api/automations",
            `{"name":"Hostile","prompt":"x","limits":{"maxCostUsd":${number}}}`,
          ),
          expect: refused(400, ["BODY_NOT_JSON", "INPUT_INVALID"]),
        };
      for (const timeoutMs of [-1, 0, 999, 1e12, 1.5, "1000"])
        yield* saving(world, `timeoutMs ${timeoutMs}`, { timeoutMs });
    },
  },
];
