import { expect, test } from "vitest";
import { conditionOf, toGroups } from "../../ui/agents/agentCondition.ts";
import { continuationOf } from "../../ui/agents/continuationOf.ts";
import { toNavigation } from "../../ui/agents/toNavigation.ts";
import type { Agent } from "../../ui/wire.ts";

type CutOff = NonNullable<Agent["cutOff"]>;

const cutOff = (fields: Partial<CutOff> = {}): CutOff => ({
  turnId: "trn_1",
  at: "2026-03-02T10:00:00.000Z",
  queuedTaskId: null,
  continuedBy: null,
  ...fields,
});

const agent = (fields: Partial<Agent>) =>
  ({
    id: "agt_1",
    state: "closed",
    activity: "idle",
    updatedAt: "1",
    cutOff: null,
    ...fields,
  }) as Agent;

test.each([
  ["nothing was cut off", null, "closed", undefined, "closed"],
  ["it is offered", cutOff(), "closed", "offered", "cut-off"],
  ["the agent was started only", cutOff(), "open", "offered", "cut-off"],
  [
    "a message that continues it waits",
    cutOff({ continuedBy: "tsk_1" }),
    "closed",
    "under-way",
    "closed",
  ],
  [
    "its own prompt waits until the agent starts",
    cutOff({ queuedTaskId: "tsk_1" }),
    "closed",
    "offered",
    "cut-off",
  ],
  [
    "its own prompt is about to be sent",
    cutOff({ queuedTaskId: "tsk_1" }),
    "open",
    "under-way",
    "idle",
  ],
] as const)("%s", (_name, cut, state, continuation, condition) => {
  const shown = agent({ cutOff: cut, state });
  expect(continuationOf(shown)).toBe(continuation);
  expect(conditionOf(shown)).toBe(condition);
});

test("a running agent is shown as running, whatever was cut off before", () => {
  const busy = { cutOff: cutOff(), state: "open" } as const;
  expect(conditionOf(agent({ ...busy, activity: "working" }))).toBe("working");
  expect(conditionOf(agent({ ...busy, activity: "waiting" }))).toBe("waiting");
});

test("agents that are cut off come after those that ask, before all others", () => {
  const groups = toGroups([
    agent({ id: "closed" }),
    agent({ id: "working", state: "open", activity: "working" }),
    agent({ id: "cut", cutOff: cutOff() }),
    agent({ id: "asks", state: "open", activity: "waiting" }),
  ]);
  expect(groups.map(({ condition }) => condition)).toEqual([
    "waiting",
    "cut-off",
    "working",
    "closed",
  ]);
});

test("under the navigation there is room for agents that are cut off", () => {
  const many = (count: number, name: string, fields: Partial<Agent>) =>
    Array.from({ length: count }, (_, index) =>
      agent({ id: `${name}${index}`, ...fields }),
    );
  const ids = (agents: readonly Agent[]) => agents.map(({ id }) => id);
  const open = many(6, "open", { state: "open" });
  const cut = many(2, "cut", { cutOff: cutOff() });
  const closed = many(7, "closed", { updatedAt: "2" });
  expect(ids(toNavigation(open, [...closed, ...cut]))).toEqual(
    ids([...open, ...cut]),
  );
  expect(ids(toNavigation([], [...closed, ...cut]))).toEqual(
    ids([...cut, ...closed.slice(0, 3)]),
  );
  const all = many(9, "cut", { cutOff: cutOff() });
  expect(toNavigation(open, all)).toHaveLength(11);
  // One that is open and cut off is in both lists.
  const both = agent({ id: "both", state: "open", cutOff: cutOff() });
  expect(ids(toNavigation([both], [both]))).toEqual(["both"]);
});
