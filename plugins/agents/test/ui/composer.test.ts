import { describe, expect, test } from "vitest";
import { readQuery } from "../../ui/agents/paletteQuery.ts";
import { conditionOf, toGroups } from "../../ui/agents/agentCondition.ts";
import { toFolderName, toShortFolder } from "../../ui/agents/folderName.ts";
import { pickPictures } from "../../ui/composer/pictures.ts";
import { chooseSending } from "../../ui/composer/sendChoices.ts";
import { hasArrived } from "../../ui/composer/hasArrived.ts";
import { toDayWords } from "../../ui/conversation/dayWords.ts";
import type { Agent, Cli, Task } from "../../ui/wire.ts";
import { entry, said } from "./support/entries.ts";

function cli(capabilities: Partial<Cli["capabilities"]>, more = {}): Cli {
  return {
    name: "pi",
    title: "pi",
    driver: "pi",
    installed: true,
    reason: null,
    version: "0.87.1",
    path: "/bin/pi",
    isDefault: true,
    isPractice: false,
    windows: [],
    capabilities: {
      resume: true,
      steer: true,
      images: true,
      permissions: true,
      asksFirst: true,
      model: true,
      thinking: true,
      extraPrompt: true,
      readOnly: true,
      compact: true,
      commands: true,
      fork: true,
      clone: true,
      terminal: true,
      login: true,
      nativeExport: true,
      tools: false,
      cost: "usd",
      ...capabilities,
    },
    ...more,
  };
}

describe("what the composer offers", () => {
  const agent = { name: "Ada", mode: "managed" as const };

  test("at rest it sends", () => {
    const choices = chooseSending({ agent, cli: cli({}), running: false });
    expect(choices).toMatchObject({
      blocked: undefined,
      first: { kind: "prompt" },
      second: undefined,
      noPictures: undefined,
    });
  });

  test("during a turn it goes into the turn or waits", () => {
    expect(chooseSending({ agent, cli: cli({}), running: true })).toMatchObject(
      {
        first: { kind: "steer", keys: "enter" },
        second: { kind: "follow_up", keys: "mod+enter" },
      },
    );
    expect(
      chooseSending({ agent, cli: cli({ steer: false }), running: true }),
    ).toMatchObject({
      first: { kind: "follow_up", keys: "enter" },
      second: undefined,
    });
  });

  test("what cannot be done says why", () => {
    const missing = cli({}, { installed: false, reason: "it is not there" });
    expect(
      chooseSending({ agent, cli: missing, running: false }).blocked,
    ).toContain("it is not there");
    expect(
      chooseSending({
        agent: { ...agent, mode: "terminal" },
        cli: cli({}),
        running: false,
      }),
    ).toMatchObject({
      blocked: undefined,
      noPictures: "A terminal takes no pictures.",
    });
    expect(
      chooseSending({ agent, cli: cli({ images: false }), running: false })
        .noPictures,
    ).toContain("no pictures");
  });
});

describe("pictures", () => {
  const picture = (name: string, type = "image/png", size = 10) => ({
    name,
    type,
    size,
  });

  test("only four of the right kind and size are taken", () => {
    expect(pickPictures([picture("a"), picture("b")], 0)).toEqual({
      taken: [picture("a"), picture("b")],
      problem: undefined,
    });
    expect(pickPictures([picture("a"), picture("b")], 3)).toMatchObject({
      taken: [{ name: "a" }],
      problem: "A message takes at most 4 pictures.",
    });
    expect(
      pickPictures([picture("x.svg", "image/svg+xml"), picture("b")], 0),
    ).toMatchObject({
      taken: [{ name: "b" }],
      problem: "x.svg is no PNG, JPEG, GIF or WebP.",
    });
    expect(
      pickPictures([picture("big", "image/png", 4 * 1024 * 1024 + 1)], 0),
    ).toMatchObject({ taken: [], problem: "big is larger than 4 MB." });
  });
});

describe("a message that was sent", () => {
  const before = entry({});
  const sending = {
    key: "sending",
    text: "hello",
    images: 0,
    taskId: undefined,
    after: before.id,
  };

  test("has arrived when its entry is there, even before its task is known", () => {
    expect(hasArrived(sending, [said("hello"), before], [])).toBe(false);
    expect(hasArrived(sending, [before, said("hello")], [])).toBe(true);
  });

  test("is known by its task once it has one", () => {
    const own = { ...sending, taskId: "tsk_1" };
    const message = {
      taskId: "tsk_1",
      source: "composer",
      delivery: "prompt" as const,
      images: 0,
    };
    expect(hasArrived(own, [before, said("hello")], [])).toBe(false);
    expect(hasArrived(own, [before, said("hello", { message })], [])).toBe(
      true,
    );
  });

  test("is shown elsewhere while it waits, and nowhere when it was given up", () => {
    const own = { ...sending, taskId: "tsk_1" };
    const task = (status: Task["status"]) => ({ id: "tsk_1", status }) as Task;
    expect(hasArrived(own, [before], [task("queued")])).toBe(true);
    expect(hasArrived(own, [before], [task("cancelled")])).toBe(true);
    expect(hasArrived(own, [before], [task("delivered")])).toBe(false);
  });
});

describe("agents in a list", () => {
  const agent = (
    name: string,
    activity: Agent["activity"],
    state: Agent["state"],
    updatedAt: string,
  ) => ({ name, activity, state, updatedAt }) as Agent;

  test("those that wait come first, then the running ones, each group by what changed last", () => {
    const groups = toGroups([
      agent("old", "idle", "closed", "2026-01-01"),
      agent("rest", "idle", "open", "2026-01-02"),
      agent("busy", "working", "open", "2026-01-03"),
      agent("new", "idle", "closed", "2026-01-04"),
      agent("asks", "waiting", "open", "2026-01-01"),
    ]);
    expect(
      groups.map(({ condition, agents }) => [
        condition,
        agents.map(({ name }) => name),
      ]),
    ).toEqual([
      ["waiting", ["asks"]],
      ["working", ["busy"]],
      ["idle", ["rest"]],
      ["closed", ["new", "old"]],
    ]);
    expect(conditionOf({ state: "open", activity: "idle", cutOff: null })).toBe(
      "idle",
    );
  });

  test("folders are short, but told apart", () => {
    expect(toShortFolder("/home/ada/work/gantry")).toBe("…/work/gantry");
    expect(toShortFolder("/srv/app")).toBe("/srv/app");
    expect(toFolderName("/home/ada/gantry/")).toBe("gantry");
  });
});

test("the palette reads verbs and names", () => {
  expect(readQuery("stop build")).toEqual({ verb: "stop", name: "build" });
  expect(readQuery("Go to  build ")).toEqual({ verb: "go", name: "build" });
  expect(readQuery("go")).toEqual({ verb: "go", name: "" });
  expect(readQuery("stopwatch")).toEqual({
    verb: undefined,
    name: "stopwatch",
  });
});

test("days are told as people say them", () => {
  const now = new Date(2026, 2, 5, 12).getTime();
  const at = (day: number) => new Date(2026, 2, day, 9).toISOString();
  expect(toDayWords(at(5), now)).toBe("Today");
  expect(toDayWords(at(4), now)).toBe("Yesterday");
  expect(toDayWords(at(1), now)).toContain("March");
  expect(toDayWords("2024-03-01T12:00:00.000Z", now)).toContain("2024");
});
