import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { createViews } from "./support/create-views.ts";
import { partOf } from "./support/part-of.ts";

const openView = createViews();

const fresh = async (files: Record<string, string | Uint8Array>) =>
  createRepository(join(await temporaryFolder(), "work"), files);

const stagedNames = async (cwd: string) =>
  (
    await plainGit(
      cwd,
      "diff",
      "--cached",
      "--name-status",
      "--no-renames",
      "-z",
    )
  )
    .split("\0")
    .filter(Boolean);

describe("files", () => {
  test("are staged and taken out again, whatever happened to them and whatever their name is", async () => {
    const odd = "caf\\351.txt";
    const cwd = await fresh({
      a: "1\n",
      gone: "g\n",
      run: "#!/bin/sh\n",
      "-x": "",
    });
    await rm(join(cwd, "gone"));
    await chmod(join(cwd, "run"), 0o755);
    await writeFiles(cwd, {
      ...{
        a: "2\n",
        "-x": "x\n",
        ":(top)b": "b\n",
        "é\n→": "n\n",
        "d/*": "s\n",
      },
      ".gitignore": "ignored\n",
    });
    await writeFile(Buffer.from(`${cwd}/caf\xe9.txt`, "latin1"), "c\n");
    const view = await openView(cwd);
    const paths = ["a", "gone", "run", "-x", ":(top)b", "é\n→", "d/*", odd];
    const staged = await view.post("git/stage", { staged: true, paths });
    expect(staged).toMatchObject({ status: 200 });
    expect(staged.body["command"]).toMatch(
      /^git add -- a gone run -x ':\(top\)b'/,
    );
    const ours = await stagedNames(cwd);
    await plainGit(cwd, "reset", "-q");
    await plainGit(cwd, "add", "-A", "--", ".", ":!.gitignore");
    expect(ours).toEqual(await stagedNames(cwd));
    const { body } = await view.get<{
      items: { path: string; staged: boolean }[];
    }>("gitstatus");
    expect(
      body.items.filter((item) => item.staged).map(({ path }) => path),
    ).toHaveLength(8);
    expect(
      (await view.post("git/stage", { staged: false, paths })).status,
    ).toBe(200);
    expect(await stagedNames(cwd)).toEqual([]);
  });

  test("that were moved are taken out under both names", async () => {
    const cwd = await fresh({ a: "1\n2\n3\n" });
    await plainGit(cwd, "mv", "a", "b");
    const view = await openView(cwd);
    await view.post("git/stage", { staged: false, paths: ["b"] });
    expect(await stagedNames(cwd)).toEqual([]);
  });

  test("are staged from a folder in the repository, and before the first commit", async () => {
    const cwd = join(await temporaryFolder(), "work");
    await writeFiles(cwd, { "in/a": "1\n", b: "2\n" });
    await plainGit(cwd, "init", "-q", "-b", "main");
    const view = await openView(join(cwd, "in"));
    await view.post("git/stage", { staged: true, paths: ["a"] });
    await plainGit(cwd, "add", "b");
    const state = await view.get("git/shipping");
    expect(state.body).toMatchObject({
      head: null,
      staged: 1,
      stagedOutside: ["b"],
    });
    await view.post("git/stage", { staged: false, paths: ["a"] });
    expect(await plainGit(cwd, "ls-files")).toBe("b");
  });

  test("in conflict are staged once their marks are gone", async () => {
    const cwd = await fresh({ a: "1\n" });
    await plainGit(cwd, "switch", "-qc", "other");
    await writeFiles(cwd, { a: "2\n" });
    await plainGit(cwd, "commit", "-qam", "Two");
    await plainGit(cwd, "switch", "-q", "main");
    await writeFiles(cwd, { a: "3\n" });
    await plainGit(cwd, "commit", "-qam", "Three");
    await plainGit(cwd, "merge", "other").catch(() => {});
    const view = await openView(cwd);
    const stage = () => view.post("git/stage", { staged: true, paths: ["a"] });
    expect((await stage()).body).toMatchObject({
      status: 409,
      code: "GIT_CONFLICTED",
    });
    const commit = await view.post("git/commit", {
      message: "Merge",
      all: true,
    });
    expect(commit.body).toMatchObject({ code: "GIT_CONFLICTED" });
    expect((await view.get("git/shipping")).body).toMatchObject({
      underway: "merge",
      conflicts: 1,
      undo: null,
    });
    await writeFiles(cwd, { a: "4\n" });
    expect((await stage()).status).toBe(200);
    expect(await plainGit(cwd, "diff", "--cached", "--name-only")).toBe("a");
    const { status } = await view.post("git/commit", { message: "Merge" });
    expect(status).toBe(200);
    expect(await plainGit(cwd, "log", "-1", "--format=%p")).toMatch(/ /);
  });

  test("outside of the folder are refused", async () => {
    const cwd = await fresh({ a: "1\n" });
    const view = await openView(cwd);
    for (const path of ["../x", ".git/config"]) {
      const { status } = await view.post("git/stage", {
        staged: true,
        paths: [path],
      });
      expect([path, status >= 400]).toEqual([path, true]);
    }
    expect(await stagedNames(cwd)).toEqual([]);
  });

  test("wait while another git is running", async () => {
    const cwd = await fresh({ a: "1\n" });
    await writeFiles(cwd, { a: "2\n", ".git/index.lock": "" });
    const view = await openView(cwd);
    const { body } = await view.post("git/stage", {
      staged: true,
      paths: ["a"],
    });
    expect(body).toMatchObject({ status: 409, code: "GIT_BUSY" });
    expect(body["detail"]).toContain("index.lock");
  });
});

describe("hunks", () => {
  const text = (changes: Record<number, string>) =>
    Array.from(
      { length: 60 },
      (_, index) => changes[index] ?? `line ${index}`,
    ).join("\n");

  test("are staged and taken out each for itself, and told", async () => {
    // The last line has no line end, and one of the lines is not UTF-8.
    const latin = (changes: Record<number, string>) =>
      Buffer.from(text(changes), "latin1");
    const cwd = await fresh({ a: latin({ 30: "caf\xe9" }) });
    await writeFiles(cwd, { a: latin({ 5: "five", 30: "th\xe9", 59: "end" }) });
    const view = await openView(cwd);
    const read = async () => {
      const { body } = await view.get<{ patch: string; staged: unknown }>(
        "gitdiff",
        { path: "a" },
      );
      return body;
    };
    const { patch } = await read();
    const set = async (index: number, staged: boolean) =>
      await view.post("git/stage", {
        staged,
        hunk: { path: "a", ...partOf(patch, index) },
      });
    expect((await set(1, true)).body).toEqual({ command: "git add -p -- a" });
    const inIndex = async () => {
      const cached = await plainGit(cwd, "diff", "--cached", "-U0");
      return cached.split("\n").filter((line) => /^[-+][^-+]/.test(line))
        .length;
    };
    expect(await inIndex()).toBe(2);
    expect((await read()).staged).toEqual([
      { path: "a", hunks: ["none", "all", "none"] },
    ]);
    expect((await read()).patch).toBe(patch);
    const { body } = await view.get<{ items: unknown[] }>("gitstatus");
    expect(body.items).toMatchObject([
      { path: "a", staged: false, partlyStaged: true },
    ]);
    await set(2, true);
    await set(1, false);
    expect((await read()).staged).toEqual([
      { path: "a", hunks: ["none", "none", "all"] },
    ]);
    await set(0, true);
    await set(1, true);
    // All of it: the index is as if the file had been added.
    expect((await read()).staged).toEqual([]);
    expect(await plainGit(cwd, "diff", "--name-only")).toBe("");
    await set(2, false);
    const commit = await view.post("git/commit", { message: "Some of it" });
    expect(commit.status, JSON.stringify(commit.body)).toBe(200);
    expect(await plainGit(cwd, "show", "--format=", "--shortstat")).toBe(
      "1 file changed, 2 insertions(+), 2 deletions(-)",
    );
  });

  test("that changed meanwhile are refused, and nothing is staged", async () => {
    const cwd = await fresh({ a: text({}) });
    await writeFiles(cwd, { a: text({ 5: "five", 30: "thirty" }) });
    const view = await openView(cwd);
    const { body } = await view.get<{ patch: string }>("gitdiff", {
      path: "a",
    });
    const hunk = { path: "a", ...partOf(body.patch, 0) };
    await writeFiles(cwd, { a: text({ 5: "six", 30: "thirty" }) });
    const { body: refused } = await view.post("git/stage", {
      staged: true,
      hunk,
    });
    expect(refused).toMatchObject({ status: 409, code: "GIT_HUNK_CHANGED" });
    expect(await stagedNames(cwd)).toEqual([]);
  });
});
