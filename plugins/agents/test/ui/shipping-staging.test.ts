import { afterEach, describe, expect, test, vi } from "vitest";
import { parsePatch } from "../../ui/repository/parsePatch.ts";
import type { FileChange } from "../../ui/repository/wire.ts";
import { Refusal } from "./support/fakeDaemon.ts";
import { a, b, change, HUNKS, openPane, PATCH } from "./support/stagingPane.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));
afterEach(() => vi.unstubAllGlobals());

/** An answer that comes when the test says so. */
function hold() {
  let release = (_answer: object): void => undefined;
  const held = new Promise((resolve) => (release = resolve));
  return { answer: () => held, release: (answer: object) => release(answer) };
}

describe("a file", () => {
  test("is marked at once, and as the daemon says once that is read", async () => {
    using pane = openPane([change("a.ts"), change("b.ts", { staged: true })]);
    await pane.ready();
    const { staging } = pane;
    const held = hold();
    pane.daemon.routes["POST /api/agents/agt_1/git/stage"] = held.answer;
    const done = staging.stageFile("a.ts", true);
    expect(staging.fileAt("a.ts")?.state).toBe("all");
    expect(staging.isBusy.value).toBe(true);
    pane.become([change("a.ts", { partlyStaged: true })]);
    held.release({ command: "git add" });
    await done;
    expect(staging.fileAt("a.ts")?.state).toBe("part");
    expect(staging.fileAt("b.ts")).toBeUndefined();
    expect(staging.isBusy.value).toBe(false);
    expect(pane.staged()).toEqual([{ staged: true, paths: ["a.ts"] }]);
    expect(pane.command.value).toBe("git add");
  });

  test("is marked as before if the daemon refuses, and the user can try again", async () => {
    using pane = openPane([change("a.ts")]);
    await pane.ready();
    const { routes } = pane.daemon;
    const work = routes["POST /api/agents/agt_1/git/stage"]!;
    routes["POST /api/agents/agt_1/git/stage"] = () =>
      new Refusal(409, "GIT_BUSY");
    await pane.staging.stageFile("a.ts", true);
    expect(pane.staging.fileAt("a.ts")?.state).toBe("none");
    expect(pane.failures.map(({ code }) => code)).toEqual(["GIT_BUSY"]);
    routes["POST /api/agents/agt_1/git/stage"] = work;
    pane.become([change("a.ts", { staged: true })]);
    await pane.failures[0]!.again();
    expect(pane.staging.fileAt("a.ts")?.state).toBe("all");
    expect(pane.failures).toHaveLength(1);
  });

  test("that was renamed is staged under both names", async () => {
    using pane = openPane([change("new", { from: "old", kind: "renamed" })]);
    await pane.ready();
    await pane.staging.stageFile("new", false);
    expect(pane.staged()).toEqual([{ staged: false, paths: ["old", "new"] }]);
  });

  test("in a submodule or in conflict says why it is not staged", async () => {
    using pane = openPane([
      change("sub/a", { submodule: "sub" }),
      change("b", { kind: "conflicted" }),
    ]);
    await pane.ready();
    expect(pane.staging.fileAt("sub/a")?.refusal).toContain("submodule sub");
    expect(pane.staging.fileAt("b")?.refusal).toContain("conflict");
    await pane.staging.stageSolved();
    expect(pane.staged()).toEqual([{ staged: true, paths: ["b"] }]);
  });

  test("waits for the one before it, and all of them are read once", async () => {
    using pane = openPane([change("a.ts"), change("b.ts")]);
    await pane.ready();
    const held = hold();
    pane.daemon.routes["POST /api/agents/agt_1/git/stage"] = held.answer;
    const reads = () =>
      pane.daemon.requests.filter(({ path }) => path.endsWith("/gitstatus"))
        .length;
    const before = reads();
    const done = [
      pane.staging.stageFile("a.ts", true),
      pane.staging.stageFile("b.ts", true),
    ];
    await vi.waitFor(() => expect(pane.staged()).toHaveLength(1));
    expect(pane.staging.fileAt("b.ts")?.state).toBe("all");
    held.release({ command: "git add" });
    await Promise.all(done);
    expect(pane.staged()).toHaveLength(2);
    expect(reads()).toBe(before + 1);
  });
});

describe("a hunk", () => {
  test("is sent as the patch has it, and its file is staged in part at once", async () => {
    using pane = openPane([change("a.ts"), change("b.ts")]);
    await pane.ready();
    const { staging } = pane;
    expect(staging.hunksOf(a)).toEqual(["none", "none"]);
    // One that is all of its file.
    expect(staging.hunksOf(b)).toBeUndefined();
    const held = hold();
    pane.daemon.routes["POST /api/agents/agt_1/git/stage"] = held.answer;
    const done = staging.stageHunk(a, 1, true);
    expect(staging.hunksOf(a)).toEqual(["none", "all"]);
    expect(staging.fileAt("a.ts")?.state).toBe("part");
    const both = staging.stageHunk(a, 0, true);
    expect(staging.fileAt("a.ts")?.state).toBe("all");
    held.release({ command: "" });
    await Promise.all([done, both]);
    const [header, lines] = HUNKS[1];
    expect(pane.staged()[0]).toEqual({
      staged: true,
      hunk: { path: "a.ts", header, lines },
    });
  });

  test("is marked as the daemon says, and as before if it has changed", async () => {
    using pane = openPane([change("a.ts", { partlyStaged: true })], {
      "a.ts": ["all", "part"],
    });
    await pane.ready();
    expect(pane.staging.hunksOf(a)).toEqual(["all", "part"]);
    pane.daemon.routes["POST /api/agents/agt_1/git/stage"] = () =>
      new Refusal(409, "GIT_HUNK_CHANGED");
    await pane.staging.stageHunk(a, 0, false);
    expect(pane.staging.hunksOf(a)).toEqual(["all", "part"]);
    expect(pane.failures.map(({ code }) => code)).toEqual(["GIT_HUNK_CHANGED"]);
  });

  test.each<[string, Partial<FileChange>]>([
    ["a new file", { kind: "untracked" }],
    ["a file that was added", { kind: "added", partlyStaged: true }],
    ["a file that was renamed", { kind: "renamed", from: "old.ts" }],
    ["a file in a submodule", { submodule: "sub" }],
    ["a file in conflict", { kind: "conflicted" }],
  ])("of %s is not staged for itself", async (_name, fields) => {
    using pane = openPane([change("a.ts", fields)]);
    await pane.ready();
    expect(pane.staging.hunksOf(a)).toBeUndefined();
  });

  test("that the end of the patch cut off is not offered", async () => {
    using pane = openPane([change("a.ts")]);
    await pane.ready();
    const end = PATCH.indexOf("+added");
    const [cut] = parsePatch(PATCH.slice(0, end));
    expect(pane.staging.hunksOf(cut!)).toEqual(["none", undefined]);
  });
});
