import { describe, expect, test } from "vitest";
import { readQuery } from "../../ui/agents/paletteQuery.ts";
import { conditionOf, toGroups } from "../../ui/agents/agentCondition.ts";
import { toFolderName, toShortFolder } from "../../ui/agents/folderName.ts";
import { pickImages } from "../../ui/composer/images.ts";
import { chooseSending } from "../../ui/composer/sendChoices.ts";
import { hasArrived } from "../../ui/composer/hasArrived.ts";
import { toDayLabel } from "../../ui/conversation/toDayLabel.ts";
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
      tools: true,
      costCap: true,
      cost: "usd",
      ...capabilities,
    },
    ...more,
  };
}

describe("send options", () => {
  const agent = { name: "Ada", mode: "managed" as const };

  test("between turns a message is sent immediately", () => {
    const choices = chooseSending({ agent, cli: cli({}), running: false });
    expect(choices).toMatchObject({
      blocked: undefined,
      first: { kind: "prompt" },
      second: undefined,
      noImages: undefined,
    });
  });

  test("during a turn a message joins it or is queued", () => {
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

  test("unavailable options have a reason", () => {
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
      noImages: "Images cannot be sent to a terminal.",
    });
    expect(
      chooseSending({ agent, cli: cli({ images: false }), running: false })
        .noImages,
    ).toContain("does not accept images");
  });
});

describe("images", () => {
  const image = (name: string, type = "image/png", size = 10) => ({
    name,
    type,
    size,
  });

  test("up to four images of a supported type and size are accepted", () => {
    expect(pickImages([image("a"), image("b")], 0)).toEqual({
      taken: [image("a"), image("b")],
      problem: undefined,
    });
    expect(pickImages([image("a"), image("b")], 3)).toMatchObject({
      taken: [{ name: "a" }],
      problem: "A message can have up to 4 images.",
    });
    expect(
      pickImages([image("x.svg", "image/svg+xml"), image("b")], 0),
    ).toMatchObject({
      taken: [{ name: "b" }],
      problem: "Only PNG, JPEG, GIF and WebP images can be attached.",
    });
    expect(
      pickImages([image("big", "image/png", 4 * 1024 * 1024 + 1)], 0),
    ).toMatchObject({ taken: [], problem: "big is larger than 4 MB." });
  });
});

describe("a sent message", () => {
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

  test("is matched by its task once it has one", () => {
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

  test("has arrived while it is queued and after it was cancelled", () => {
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

  test("are grouped by urgency, each group by last change", () => {
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

  test("folders are short, but distinguishable", () => {
    expect(toShortFolder("/home/ada/work/gantry")).toBe("…/work/gantry");
    expect(toShortFolder("/srv/app")).toBe("/srv/app");
    expect(toFolderName("/home/ada/gantry/")).toBe("gantry");
  });
});

test("the palette parses verbs and names", () => {
  expect(readQuery("stop build")).toEqual({ verb: "stop", name: "build" });
  expect(readQuery("Go to  build ")).toEqual({ verb: "go", name: "build" });
  expect(readQuery("go")).toEqual({ verb: "go", name: "" });
  expect(readQuery("stopwatch")).toEqual({
    verb: undefined,
    name: "stopwatch",
  });
});

test("days have names relative to today", () => {
  const now = new Date(2026, 2, 5, 12).getTime();
  const at = (day: number) => new Date(2026, 2, day, 9).toISOString();
  expect(toDayLabel(at(5), now)).toBe("Today");
  expect(toDayLabel(at(4), now)).toBe("Yesterday");
  expect(toDayLabel(at(1), now)).toContain("March");
  expect(toDayLabel("2024-03-01T12:00:00.000Z", now)).toContain("2024");
});
