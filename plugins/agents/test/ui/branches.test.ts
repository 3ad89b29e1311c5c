import { expect, test } from "vitest";
import { toBranches } from "../../ui/conversation/toBranches.ts";
import type { TreeEntry } from "../../ui/wire.ts";

let clock = 0;

/** An entry; those whose id begins with `u` are messages of the user. */
function entry(id: string, parentId: string | null): TreeEntry {
  clock += 1;
  return {
    id,
    parentId,
    role: id.startsWith("u") ? "user" : "assistant",
    kind: "text",
    text: id,
    at: new Date(clock * 1000).toISOString(),
    forkable: id.startsWith("u"),
  };
}

const listed = (entries: TreeEntry[], leafId: string | null) =>
  toBranches(entries, leafId).map(
    ({ entry: { id }, depth, isShown }) =>
      `${"-".repeat(depth)}${id}${isShown ? "*" : ""}`,
  );

test("a conversation without branches is one line", () => {
  const entries = [entry("u1", null), entry("a1", "u1"), entry("u2", "a1")];
  expect(listed(entries, "u2")).toEqual(["u1*", "u2*"]);
  expect(listed(entries.toReversed(), "u2")).toEqual(["u1*", "u2*"]);
});

test("a branch is listed next to the message it starts from", () => {
  const entries = [
    entry("u1", null),
    entry("a1", "u1"),
    entry("u2", "a1"),
    entry("u3", "u2"),
    entry("u4", "a1"),
    entry("u5", "u4"),
    entry("u6", null),
  ];
  expect(listed(entries, "u5")).toEqual([
    "-u6",
    "u1*",
    "-u4*",
    "-u5*",
    "u2",
    "u3",
  ]);
});

test("a message with an unknown parent is a root", () => {
  expect(listed([entry("u9", "lost"), entry("a9", "u9")], "a9")).toEqual([
    "u9*",
  ]);
});

test("ten thousand messages and a cycle are handled", () => {
  const long = Array.from({ length: 10_000 }, (_, index) =>
    entry(`u${index}`, index === 0 ? null : `u${index - 1}`),
  );
  expect(toBranches(long, "u9999")).toHaveLength(10_000);
  const cycle = [entry("a", "b"), entry("b", "a"), entry("u", "b")];
  expect(() => toBranches(cycle, "u")).not.toThrow();
});
