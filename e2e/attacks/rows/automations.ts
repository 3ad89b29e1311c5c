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
];

/** Addresses where machines keep credentials, and our own, in many spellings. */
const NOT_TO_BE_CALLED = [
  "http://169.254.169.254/latest/meta-data/",
  "http://0xa9fea9fe/",
  "http://2852039166/",
  "http://0251.0376.0251.0376/",
  "http://[::ffff:169.254.169.254]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[fe80::1]/",
  "http://[fd00:ec2::254]/",
  "http://100.100.100.200/",
];

/** Ways to the daemon itself. */
const waysHome = ({ port }: World) =>
  [
    "127.0.0.1",
    "127.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "localhost",
    "localhost.",
    "gantry.localhost",
    "any.gantry.localhost",
  ].map((name) => `http://${name}:${port}`);

/** As what is created, and as what is changed of one that is there. */
function* saving(
  world: World,
  name: string,
  fields: object,
  code = "INPUT_INVALID",
): Generator<Trial> {
  yield {
    name: `${name}, new`,
    send: postJson(world, "/api/automations", {
      name: "Hostile",
      prompt: "x",
      ...fields,
    }),
    expect: refused(400, code),
  };
  yield {
    name: `${name}, changed`,
    send: postJson(
      world,
      `/api/automations/${world.victims.automationId}`,
      fields,
      "PATCH",
    ),
    expect: refused(400, code),
  };
}

/** Saved or only tried, it is not called. */
function* notifying(world: World, notifyUrl: string): Generator<Trial> {
  const code = "NOTIFY_TARGET_REFUSED";
  yield* saving(world, notifyUrl, { notifyUrl }, code);
  yield {
    name: `${notifyUrl}, tried`,
    send: postJson(world, "/api/automations/notify/test", { url: notifyUrl }),
    expect: refused(400, code),
  };
}

export const automations: readonly Row[] = [
  {
    id: "A112",
    title: "addresses to notify that are none, or not to be called",
    everyChange: true,
    *trials(world) {
      for (const notifyUrl of NO_TARGETS)
        yield* saving(world, notifyUrl.slice(0, 60), { notifyUrl });
    },
  },
  {
    id: "A113b",
    title: "addresses to notify where credentials lie, and our own",
    *trials(world) {
      for (const url of NOT_TO_BE_CALLED) yield* notifying(world, url);
      for (const origin of waysHome(world))
        yield* notifying(world, `${origin}/`);
    },
  },
  {
    id: "A113c",
    title: "an address to notify that leads home only when it is called",
    provedBy: [
      [
        "plugins/automations/test/notify.test.ts",
        "to a name that turns out to be the daemon itself is an event, and nothing is called",
      ],
    ],
  },
  {
    id: "A116b",
    title: "targets of notifications that answer without end, or never",
    provedBy: [
      [
        "plugins/automations/test/notify.test.ts",
        "that answers without end, or slowly, or with what is none costs a bounded time and room",
      ],
      [
        "plugins/automations/test/notify.test.ts",
        "is not held up by others, and holds no run up",
      ],
    ],
  },
  {
    id: "A117",
    title: "names and answers that speak to the chat",
    provedBy: [
      [
        "plugins/automations/test/chat-message.test.ts",
        "of hostile names and answers is harmless, and always fits",
      ],
      [
        "plugins/automations/test/chat-message.test.ts",
        "is clipped at 1,500 characters as a reader counts them",
      ],
    ],
  },
  {
    id: "A118",
    title: "an automation that would set itself or another one off",
    *trials(world) {
      const path = `/api/automations/${world.victims.automationId}/fire`;
      for (const origin of waysHome(world))
        yield* notifying(world, origin + path);
      yield* notifying(world, `https://public.example.org${path}`);
      yield* notifying(world, "https://gateway.example.org/-/hook/me/aut_x");
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
    id: "A124c",
    title: "a thousand schedules of every minute that all come at once",
    provedBy: [
      [
        "plugins/automations/test/scale.test.ts",
        "a thousand schedules of every minute, after a week: each is made up for once, and few run at a time",
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
