import { describe, expect, test } from "vitest";
import { toNavigation } from "../../ui/agents/toNavigation.ts";
import type { Agent } from "../../ui/wire.ts";

describe("agents in the sidebar", () => {
  const agent = (id: string, state: "open" | "closed", updatedAt: string) =>
    ({ id, state, activity: "idle", updatedAt }) as Agent;
  const ids = (agents: readonly Agent[]) => agents.map(({ id }) => id);

  test("recently closed ones follow the open ones, up to a limit", () => {
    const open = [agent("a", "open", "1"), agent("b", "open", "2")];
    const recent = ["3", "9", "5", "4"].map((at) => agent(at, "closed", at));
    expect(ids(toNavigation(open, [...open, ...recent]))).toEqual([
      "a",
      "b",
      "9",
      "5",
      "4",
    ]);
    const many = Array.from({ length: 7 }, (_, index) =>
      agent(`o${index}`, "open", "1"),
    );
    expect(ids(toNavigation(many, recent))).toEqual(ids(many));
  });

  test("one that closes between the requests is listed once", () => {
    const closing = agent("a", "closed", "2");
    expect(ids(toNavigation([agent("a", "open", "1")], [closing]))).toEqual([
      "a",
    ]);
  });
});
