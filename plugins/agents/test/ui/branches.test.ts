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

const drawn = (entries: TreeEntry[], leafId: string | null) =>
  toBranches(entries, leafId).map(
    ({ entry: { id }, depth, isShown }) =>
      `${"-".repeat(depth)}${id}${isShown ? "*" : ""}`,
  );

test("a conversation without branches is one line", () => {
  const entries = [entry("u1", null), entry("a1", "u1"), entry("u2", "a1")];
  expect(drawn(entries, "u2")).toEqual(["u1*", "u2*"]);
  expect(drawn(entries.toReversed(), "u2")).toEqual(["u1*", "u2*"]);
});

test("what parted stands below the message that it parted from", () => {
  const entries = [
    entry("u1", null),
    entry("a1", "u1"),
    entry("u2", "a1"),
    entry("u3", "u2"),
    entry("u4", "a1"),
    entry("u5", "u4"),
    entry("u6", null),
  ];
  expect(drawn(entries, "u5")).toEqual([
    "-u6",
    "u1*",
    "-u4*",
    "-u5*",
    "u2",
    "u3",
  ]);
});

test("of a beginning that was not read the rest stands alone", () => {
  expect(drawn([entry("u9", "lost"), entry("a9", "u9")], "a9")).toEqual([
    "u9*",
  ]);
});

test("ten thousand messages are no trouble, nor is a circle", () => {
  const long = Array.from({ length: 10_000 }, (_, index) =>
    entry(`u${index}`, index === 0 ? null : `u${index - 1}`),
  );
  expect(toBranches(long, "u9999")).toHaveLength(10_000);
  const circle = [entry("a", "b"), entry("b", "a"), entry("u", "b")];
  expect(() => toBranches(circle, "u")).not.toThrow();
});
