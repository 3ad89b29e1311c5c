import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findObjects } from "../../src/drafts/find-objects.ts";
import { toPlainTimes } from "../../src/drafts/plain-times.ts";
import { readAnswer } from "../../src/drafts/read-answer.ts";
import { parseCronLine } from "../../src/schedule/cron-line.ts";
import { ruleKey, toRule } from "../../src/schedule/rule.ts";

const context = {
  description: "Every weekday at 9, look at ~/code/app.",
  timeZone: "Europe/Berlin",
  userFolder: "/home/me",
};
const sound = {
  name: "Stale pull requests",
  prompt: 'Look at the open ones. Say "none" if there are none: {}.',
  workspace: "~/code/app",
  schedules: [{ cron: "0 9 * * 1-5", timeZone: "Europe/Berlin", label: null }],
  webhook: false,
  notifyUrl: null,
};
const read = (fields: object) => readAnswer(JSON.stringify(fields), context);

/** Words that a model may write around the JSON object. */
const words = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.constantFrom("```json\n", "```", "{", '{"', "}", '"', "\\", "{}"),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

describe("an answer", () => {
  test.each([
    ["bare", (json: string) => json],
    ["in a fenced block", (json: string) => "```json\n" + json + "\n```"],
    ["with words around it", (json: string) => `Here {it} is:\n${json}\nGood?`],
    ["inside another object", (json: string) => `{"automation": ${json}}`],
    ["after an example", (json: string) => `{"name": "Not this"}\n${json}`],
    ["after a quotation mark", (json: string) => `An object {"\n${json}`],
  ])("is read %s", (_, around) => {
    for (const space of [0, 2])
      expect(
        readAnswer(around(JSON.stringify(sound, undefined, space)), context),
      ).toEqual({
        automation: {
          ...sound,
          workspace: "/home/me/code/app",
          schedules: [
            {
              frequency: "weekdays",
              time: "09:00",
              weekday: null,
              minute: null,
              cron: null,
              timeZone: "Europe/Berlin",
              label: null,
            },
          ],
        },
        dropped: [],
      });
  });

  test("any object is found between any words on lines of their own", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        words,
        words,
        (object, before, after) => {
          const json = JSON.stringify(object);
          const found = findObjects(`${before}\n${json}\n${after}`);
          // What is found may have been written round it: that is then what was said.
          expect(found.map((one) => JSON.stringify(one)).join()).toContain(
            JSON.stringify(JSON.parse(json)),
          );
        },
      ),
    );
  });

  test("whatever is said is read or refused, in good time", () => {
    fc.assert(
      fc.property(fc.oneof(words, fc.json()), (text) => {
        const result = readAnswer(text, context);
        expect("errors" in result || "automation" in result).toBe(true);
      }),
    );
    for (const hostile of ["{", '{"a":', '{"', "{}", '{"name":{'])
      expect(
        readAnswer(hostile.repeat(65_536 / hostile.length), context),
      ).toHaveProperty("errors");
  });

  test("any fields at all leave nothing in a draft that it does not set", () => {
    const field = fc.oneof(
      fc.constantFrom("enabled", "permissions", "limits", "secret", "id"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(field, fc.jsonValue()), (others) => {
        const result = read({ ...others, ...sound });
        if (!("automation" in result)) throw new Error("It was refused.");
        expect(Object.keys(result.automation).sort()).toEqual(
          Object.keys(sound).sort(),
        );
        const named = Object.keys(others).filter(
          (one) => !Object.hasOwn(sound, one),
        );
        for (const { path } of result.dropped) expect(named).toContain(path);
      }),
    );
  });
});

test("what a draft does not set is dropped, and said so", () => {
  const result = read({
    ...sound,
    enabled: true,
    permissions: { mode: "allow-once", tools: ["bash"] },
    limits: { maxCostUsd: 100 },
    webhookSecret: "s3cret",
    notifyUrl: "https://hooks.example.org/made-up",
    cli: "other",
    colour: "red",
    schedules: [{ ...sound.schedules[0], enabled: false, id: "sch_1" }],
  });
  expect(result).toMatchObject({ automation: { notifyUrl: null } });
  const { dropped } = result as Extract<typeof result, { dropped: unknown }>;
  expect(dropped.map(({ path }) => path).sort()).toEqual([
    "cli",
    "colour",
    "enabled",
    "limits",
    "notifyUrl",
    "permissions",
    "schedules.0.enabled",
    "schedules.0.id",
    "webhookSecret",
  ]);
  expect(dropped).toContainEqual({
    path: "permissions",
    value: '{"mode":"allow-once","tools":["bash"]}',
    why: "What it may do unasked is yours to allow.",
  });
});

test("nothing hides in what is to be saved", () => {
  const result = read({
    ...sound,
    name: "Stale\u{e0041} pull\u202frequests",
    prompt: "Look\u202e\n\tthere 👩‍💻",
    workspace: "/code\u200d/app",
    schedules: [{ ...sound.schedules[0], label: "at\u061cnine" }],
    extra: "a\u3164b",
  });
  expect(result).toMatchObject({
    automation: {
      name: "Stale⟨U+E0041⟩ pull requests",
      prompt: "Look⟨U+202E⟩\n\tthere 👩‍💻",
      workspace: "/code⟨U+200D⟩/app",
      schedules: [{ label: "at⟨U+061C⟩nine" }],
    },
    dropped: [{ value: "a⟨U+3164⟩b" }],
  });
});

test("what says no more than the defaults is not worth a word", () => {
  expect(
    read({
      ...sound,
      enabled: false,
      mode: "start",
      limits: { maxCostUsd: null },
      permissions: { mode: "reject" },
      model: null,
    }),
  ).toMatchObject({ dropped: [] });
});

test("an address to notify is taken from the description, and from nowhere else", () => {
  const notifyUrl = "https://hooks.example.org/services/T0";
  const description = `Every day at 9. Tell ${notifyUrl} about it.`;
  const answer = JSON.stringify({ ...sound, notifyUrl });
  expect(readAnswer(answer, { ...context, description })).toMatchObject({
    automation: { notifyUrl },
    dropped: [],
  });
});

test.each([
  ["no object", "I cannot do that.", ""],
  ["a list", '[{"cron": "* * * * *"}]', ""],
  ["no prompt", { ...sound, prompt: undefined }, "prompt"],
  ["an empty name", { ...sound, name: " " }, "name"],
  ["a relative folder", { ...sound, workspace: "code/app" }, "workspace"],
  [
    "a cron line with six fields",
    { ...sound, schedules: [{ cron: "0 0 9 * * 1", timeZone: "UTC" }] },
    "schedules.0.cron",
  ],
  [
    "a rule that never fires",
    { ...sound, schedules: [{ cron: "0 9 31 2 *", timeZone: "UTC" }] },
    "schedules.0.cron",
  ],
  [
    "a zone that is none",
    { ...sound, schedules: [{ cron: "0 9 * * *", timeZone: "Berlin" }] },
    "schedules.0.timeZone",
  ],
  [
    "a rule without times",
    { ...sound, schedules: [{ label: "Soon" }] },
    "schedules.0.cron",
  ],
  [
    "the same rule twice",
    { ...sound, schedules: [...sound.schedules, ...sound.schedules] },
    "schedules.1",
  ],
  ["schedules that are words", { ...sound, schedules: "daily" }, "schedules"],
])("%s is refused as a save would", (_, answer, path) => {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  expect(readAnswer(text, context)).toMatchObject({
    errors: expect.arrayContaining([
      expect.objectContaining({ path }),
    ]) as object[],
  });
});

test("a rule without a zone is meant in that of the user", () => {
  expect(
    read({ ...sound, schedules: [{ cron: "*/15 9-17 * * 1-5" }] }),
  ).toMatchObject({
    automation: {
      schedules: [
        {
          frequency: "custom",
          cron: "*/15 9-17 * * 1-5",
          timeZone: "Europe/Berlin",
        },
      ],
    },
  });
});

describe("the plainest name of a rule", () => {
  test.each([
    ["0 9 * * 1-5", { frequency: "weekdays", time: "09:00" }],
    ["5 23 * * *", { frequency: "daily", time: "23:05" }],
    ["30 7 * * 0-6", { frequency: "daily", time: "07:30" }],
    ["0 8 * * SUN", { frequency: "weekly", time: "08:00", weekday: 0 }],
    ["17 * * * *", { frequency: "hourly", minute: 17 }],
    ["0 9 1 * *", { frequency: "custom", cron: "0 9 1 * *" }],
    ["0 9 1 * 1", { frequency: "custom" }],
    ["0 9 * 6 *", { frequency: "custom" }],
    ["0 9,17 * * *", { frequency: "custom" }],
    ["0,30 * * * *", { frequency: "custom" }],
    ["0 * * * 1-5", { frequency: "custom" }],
  ])("of %s", (cron, times) => {
    expect(toPlainTimes(cron)).toMatchObject(times);
  });

  test("fires at the same times as the line that it is for", () => {
    const field = (from: number, to: number) =>
      fc.oneof(
        fc.constant("*"),
        fc.integer({ min: from, max: to }).map(String),
        fc
          .tuple(
            fc.integer({ min: from, max: to }),
            fc.integer({ min: from, max: to }),
          )
          .map(([one, other]) =>
            one < other ? `${one}-${other}` : `${other}-${one}`,
          ),
      );
    const line = fc
      .tuple(
        field(0, 59),
        field(0, 23),
        field(1, 31),
        field(1, 12),
        field(0, 7),
      )
      .map((fields) => fields.join(" "))
      .filter((cron) => !("problem" in parseCronLine(cron)));
    fc.assert(
      fc.property(line, (cron) => {
        const timeZone = "UTC";
        const own = {
          frequency: "custom" as const,
          time: null,
          weekday: null,
          minute: null,
          cron,
          timeZone,
        };
        const plain = { ...toPlainTimes(cron), timeZone };
        expect(ruleKey(toRule(plain))).toBe(ruleKey(toRule(own)));
      }),
    );
  });
});
