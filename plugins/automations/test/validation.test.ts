import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

let bench: Bench;
let id: string;

beforeAll(async () => {
  bench = await startBench();
  ({ id } = await bench.create({ schedules: [daily("09:00")] }));
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
});

const rule = (more: object) => ({
  frequency: "custom",
  timeZone: "UTC",
  ...more,
});
const cron = (line: unknown) => ({ schedules: [rule({ cron: line })] });
const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index));

/** A field, and what must be refused there with the path that is named. */
const BAD: readonly [what: string, input: object, path: string][] = [
  ["an unknown field", { nmae: "x" }, "nmae"],
  ...[
    "id",
    "secret",
    "secretHash",
    "createdAt",
    "updatedAt",
    "revision",
    "runs",
    "lastRun",
    "agentId",
    "cost",
    "trusted",
    "owner",
    "nextRunAt",
  ].map((field): [string, object, string] => [
    `"${field}"`,
    { [field]: "x" },
    field,
  ]),
  ["a name that is no text", { name: 5 }, "name"],
  ["an empty name", { name: "  " }, "name"],
  ["a name of 101 characters", { name: "x".repeat(101) }, "name"],
  ["a name of two lines", { name: "a\nb" }, "name"],
  ["a name with half a character", { name: "a\ud800" }, "name"],
  [
    "a name without a visible character",
    { name: "\u200b\u2060\u202e\u{e0001}" },
    "name",
  ],
  ["no text as prompt", { prompt: null }, "prompt"],
  ["an empty prompt", { prompt: " \n" }, "prompt"],
  ["a prompt of 100,001 characters", { prompt: "x".repeat(100_001) }, "prompt"],
  ["a switch that is a word", { enabled: "yes" }, "enabled"],
  ["an unknown mode", { mode: "both" }, "mode"],
  ["a relative folder", { workspace: "project" }, "workspace"],
  ["a folder with a line break", { workspace: "/a\nb" }, "workspace"],
  ["a target agent", { targetAgentId: "agt_x" }, "targetAgentId"],
  ["a CLI that is a list", { cli: ["pi"] }, "cli"],
  ["an empty model", { model: "" }, "model"],
  ["a webhook that is a word", { webhook: "on" }, "webhook"],
  ...[
    "file:///etc/passwd",
    "example.org",
    "https://",
    "https://user:word@example.org/",
    "https://example.org/\nX: y",
    "https://ехample.org/",
    `https://example.org/${"x".repeat(2048)}`,
    7,
  ].map((notifyUrl): [string, object, string] => [
    `the notify address ${String(notifyUrl).slice(0, 40)}`,
    { notifyUrl },
    "notifyUrl",
  ]),
  ["a time limit below a second", { timeoutMs: 999 }, "timeoutMs"],
  ["a time limit over a day", { timeoutMs: 86_400_001 }, "timeoutMs"],
  ["an unknown limit", { limits: { maxRuns: 1 } }, "limits.maxRuns"],
  ...[-1, 0, "5", 1e308, true].map((value): [string, object, string] => [
    `a cost cap of ${JSON.stringify(value)}`,
    { limits: { maxCostUsd: value } },
    "limits.maxCostUsd",
  ]),
  ...["maxRunsPerHour", "maxRunsPerDay", "maxRunsPerWeek"].flatMap((field) =>
    [-1, 0, 1.5, 1e9, "5"].map((value): [string, object, string] => [
      `${field} of ${JSON.stringify(value)}`,
      { limits: { [field]: value } },
      `limits.${field}`,
    ]),
  ),
  [
    "an unknown permission mode",
    { permissions: { mode: "all" } },
    "permissions.mode",
  ],
  [
    "51 tools",
    { permissions: { mode: "allow-once", tools: times(51, String) } },
    "permissions.tools",
  ],
  [
    "21 schedules",
    { schedules: times(21, (index) => daily(`10:${10 + index}`)) },
    "schedules",
  ],
  [
    "1,000 schedules",
    { schedules: times(1000, () => rule({ cron: "* * * * *" })) },
    "schedules",
  ],
  [
    "an unknown field of a schedule",
    { schedules: [daily("09:00", { at: 1 })] },
    "schedules.0.at",
  ],
  [
    "an unknown frequency",
    { schedules: [daily("09:00", { frequency: "yearly" })] },
    "schedules.0.frequency",
  ],
  ...["24:00", "9:00", "09:60", "0900", "", "09:00:00"].map(
    (time): [string, object, string] => [
      `the time "${time}"`,
      { schedules: [daily(time)] },
      "schedules.0.time",
    ],
  ),
  [
    "no time",
    { schedules: [{ frequency: "daily", timeZone: "UTC" }] },
    "schedules.0.time",
  ],
  [
    "a weekday of 7",
    { schedules: [daily("09:00", { frequency: "weekly", weekday: 7 })] },
    "schedules.0.weekday",
  ],
  [
    "a weekly schedule without weekday",
    { schedules: [daily("09:00", { frequency: "weekly" })] },
    "schedules.0.weekday",
  ],
  [
    "a minute of 60",
    { schedules: [{ frequency: "hourly", minute: 60, timeZone: "UTC" }] },
    "schedules.0.minute",
  ],
  [
    "a cron line in a daily schedule",
    { schedules: [daily("09:00", { cron: "* * * * *" })] },
    "schedules.0.cron",
  ],
  [
    "a label of 61 characters",
    { schedules: [daily("09:00", { label: "x".repeat(61) })] },
    "schedules.0.label",
  ],
  [
    "a label of two lines",
    { schedules: [daily("09:00", { label: "a\u2028b" })] },
    "schedules.0.label",
  ],
  [
    "no zone",
    { schedules: [{ frequency: "daily", time: "09:00" }] },
    "schedules.0.timeZone",
  ],
  ...["", "Mars/Base", "+02:00", "UTC+2", "Europe/Berlin ", "x".repeat(70)].map(
    (timeZone): [string, object, string] => [
      `the zone "${timeZone}"`,
      { schedules: [daily("09:00", { timeZone })] },
      "schedules.0.timeZone",
    ],
  ),
  [
    "a computed field of a new schedule",
    { schedules: [daily("09:00", { armedAt: "2020-01-01T00:00:00.000Z" })] },
    "schedules.0.armedAt",
  ],
  [
    "two equal rules",
    { schedules: [daily("09:00"), daily("09:00", { label: "again" })] },
    "schedules.1",
  ],
  [
    "two rules for the same times",
    { schedules: [daily("09:00"), rule({ cron: "0 9 * * *" })] },
    "schedules.1",
  ],
  ...["0 9 * * 0-6", "0 9 1-31 * *", "0 9 1-31 * 1", "0 9 15 * 0-6"].map(
    (cron): [string, object, string] => [
      `two rules for every day, one as "${cron}"`,
      { schedules: [daily("09:00"), rule({ cron })] },
      "schedules.1",
    ],
  ),
  [
    "one zone under two names",
    {
      schedules: ["UTC", "Etc/UTC"].map((timeZone) =>
        daily("09:00", { timeZone }),
      ),
    },
    "schedules.1",
  ],
  [
    "one zone in two cases",
    {
      schedules: ["Europe/Berlin", "europe/BERLIN"].map((timeZone) =>
        daily("09:00", { timeZone }),
      ),
    },
    "schedules.1",
  ],
  [
    "the same steps written in two ways",
    {
      schedules: [
        rule({ cron: "*/15 * * * *" }),
        rule({ cron: "0,15,30,45 0-23 * * *" }),
      ],
    },
    "schedules.1",
  ],
  ...[
    "* * * * * *",
    "* * * *",
    "",
    "@hourly",
    "@reboot",
    "0 0 L * *",
    "0 0 15W * *",
    "0 0 * * 1#2",
    "0 0 ? * *",
    "*/0 * * * *",
    "60 * * * *",
    "* 24 * * *",
    "0 0 0 * *",
    "0 0 * 13 *",
    "0 0 * * 8",
    "５ 0 * * *",
    "0 0 * * *\n",
    "0\t0 * * *",
    "5-1 * * * *",
    "5/15 * * * *",
    "*/61 * * * *",
    "1,,2 * * * *",
    "-1 * * * *",
    "0 0 * * FRIDAY",
    "0 0 1e1 * *",
    `${"0,".repeat(127)}0 0 * * *`,
    "0,".repeat(60_000),
    "0 0 31 2 *",
    "0 0 30 2 *",
    "0 0 31 4,6,9,11 *",
  ].map((line): [string, object, string] => [
    `the cron line "${line.slice(0, 30)}"`,
    cron(line),
    "schedules.0.cron",
  ]),
  ["a cron line that is a list", cron(["0"]), "schedules.0.cron"],
];

describe("is refused with the path of what is wrong, and changes nothing", () => {
  test.each(BAD)("%s", async (_what, input, path) => {
    const { api } = bench.kernel;
    const before = await bench.get(id);
    const created = await api.post<Problem>("/api/automations", {
      name: "New",
      prompt: "Go.",
      ...input,
    });
    const changed = await api.patch<Problem>(`/api/automations/${id}`, input);
    for (const { status, headers, body } of [created, changed]) {
      expect(status).toBe(400);
      expect(headers.get("content-type")).toContain("application/problem+json");
      expect(body).toMatchObject({ status: 400, code: "INPUT_INVALID" });
      expect(body.errors.map((error) => error.path)).toContain(path);
      expect(body.detail.length).toBeLessThan(1000);
    }
    const { body } = await api.get<{ items: object[] }>("/api/automations");
    expect(body.items).toEqual([before]);
  });
});

interface Problem {
  detail: string;
  errors: { path: string; message: string }[];
}

test("a message needs an agent that exists", async () => {
  const { api } = bench.kernel;
  const agentId = `agt_${"b".repeat(24)}`;
  bench.agents.gone.add(agentId);
  for (const [fields, code] of [
    [{ mode: "message" }, "TARGET_AGENT_NEEDED"],
    [{ mode: "message", targetAgentId: null }, "TARGET_AGENT_NEEDED"],
    [{ mode: "message", targetAgentId: agentId }, "TARGET_AGENT_UNKNOWN"],
  ] as const) {
    const wrong = { status: 400, body: { code, errors: [issue] } };
    const whole = { name: "Without target", prompt: "Hello.", ...fields };
    expect(await api.post("/api/automations", whole)).toMatchObject(wrong);
    const path = `/api/automations/${id}`;
    expect(await api.patch(path, fields)).toMatchObject(wrong);
  }
});

const issue = { path: "targetAgentId" };

test("a schedule with an id of another automation, or an id twice, is refused", async () => {
  const other = await bench.create({
    name: "Other",
    schedules: [daily("10:00")],
  });
  const { api } = bench.kernel;
  const path = `/api/automations/${id}`;
  const foreign = await api.patch<Problem>(path, {
    schedules: other.schedules,
  });
  expect(foreign).toMatchObject({
    status: 400,
    body: { code: "SCHEDULE_UNKNOWN", errors: [{ path: "schedules.0.id" }] },
  });
  const [own] = (await bench.get(id)).schedules;
  const twice = await api.patch<Problem>(path, {
    schedules: [own, { ...own, time: "11:00" }],
  });
  expect(twice).toMatchObject({
    status: 400,
    body: { errors: [{ path: "schedules.1.id" }] },
  });
  await api.delete(`/api/automations/${other.id}`);
});

test("every good schedule is taken", async () => {
  const good = [
    ["0 0 29 2 *", "UTC"],
    ["*/15 9-17 * * 1-5", "Europe/Berlin"],
    ["0  9 * *   MON-fri", "America/Argentina/Buenos_Aires"],
    ["0 0 1 JAN,jul *", "Asia/Calcutta"],
    ["5-59/9 */2 1-7,15 * 0", "Etc/GMT+5"],
    ["0 0 31 2 7", "Pacific/Apia"],
    ["59 23 31 12 6", "EST"],
  ] as const;
  const automation = await bench.create({
    schedules: good.map(([line, timeZone]) => ({
      ...rule({ cron: line }),
      timeZone,
    })),
  });
  expect(automation.schedules.map((schedule) => schedule.nextRunAt)).toEqual(
    good.map(() => expect.any(String)),
  );
  expect(automation.schedules[2]!.cron).toBe("0 9 * * MON-fri");
  await bench.kernel.api.delete(`/api/automations/${automation.id}`);
});

test("names in all scripts are taken as they are", async () => {
  for (const name of [
    "日本語の朝のまとめ",
    "موجز الصباح",
    "🧑\u200d🚀 x\u0301",
    "é".repeat(100),
  ]) {
    const automation = await bench.create({ name });
    expect(automation.name).toBe(name);
    await bench.kernel.api.delete(`/api/automations/${automation.id}`);
  }
});

test("bodies that are no object, or not JSON, are refused", async () => {
  const { api } = bench.kernel;
  const json = { "content-type": "application/json" };
  const send = (body: string, headers: Record<string, string>) =>
    api.request("POST", "/api/automations", {
      body: Buffer.from(body),
      headers,
    });
  expect((await send("[]", json)).status).toBe(400);
  expect((await send("{", json)).status).toBe(400);
  expect((await send("{}", { "content-type": "text/plain" })).status).toBe(415);
  expect(
    (await send(`{"prompt":"${"x".repeat(1024 * 1024)}"}`, json)).status,
  ).toBe(413);
});

test("other methods are refused with those that there are", async () => {
  const answer = await bench.kernel.api.put("/api/automations", {});
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("GET, HEAD, POST");
});
