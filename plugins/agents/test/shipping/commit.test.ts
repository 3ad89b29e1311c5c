import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import type { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { createViews } from "./support/create-views.ts";

const openView = createViews();

interface Shipping {
  undo: { hash: string; subject: string } | null;
  programs: {
    items: string[];
    required: string[];
    trusted: boolean;
    mark: string;
  };
  [field: string]: unknown;
}

const fresh = async (files: Record<string, string> = { a: "1\n" }) => {
  const cwd = join(await temporaryFolder(), "work");
  await createRepository(cwd, files);
  await plainGit(cwd, "config", "user.name", "Bea");
  await plainGit(cwd, "config", "user.email", "bea@example.org");
  return cwd;
};

const readState = async (view: RepositoryView) =>
  (await view.get<Shipping>("git/shipping")).body;

async function writeHook(cwd: string, name: string, script: string) {
  const file = join(cwd, ".git/hooks", name);
  await writeFiles(cwd, { [`.git/hooks/${name}`]: `#!/bin/sh\n${script}\n` });
  await chmod(file, 0o755);
}

describe("a commit", () => {
  test("takes what is staged and nothing else, as whom the repository says", async () => {
    const cwd = await fresh();
    await writeFiles(cwd, { a: "2\n", b: "new\n" });
    const view = await openView(cwd);
    const message = 'Say more\n\n# Not a comment: it\'s "quoted"\n';
    const nothing = await view.post("git/commit", { message });
    expect(nothing.body).toMatchObject({
      status: 409,
      code: "GIT_NOTHING_STAGED",
    });
    await view.post("git/stage", { staged: true, paths: ["b"] });
    const { status, body } = await view.post("git/commit", { message });
    expect([status, body]).toEqual([
      200,
      {
        hash: await plainGit(cwd, "rev-parse", "HEAD"),
        subject: "Say more",
        command: `git commit -m 'Say more\n\n# Not a comment: it'\\''s "quoted"'`,
        output: "",
      },
    ]);
    expect(
      await plainGit(cwd, "show", "--format=%an <%ae> %B", "--name-only"),
    ).toBe(
      'Bea <bea@example.org> Say more\n\n# Not a comment: it\'s "quoted"\n\n\nb',
    );
    expect(await plainGit(cwd, "diff", "--name-only")).toBe("a");
    // What is in the log of references can be found again.
    expect(await plainGit(cwd, "reflog", "-1", "--format=%gs")).toBe(
      "commit: Say more",
    );
  });

  test("takes all changes in the folder if asked to, but no repository in it", async () => {
    const cwd = await fresh({ a: "1\n", b: "1\n" });
    await plainGit(cwd, "rm", "-q", "--cached", "b");
    await writeFiles(cwd, { a: "2\n", "c/d": "new\n" });
    await createRepository(join(cwd, "inner"), { x: "x\n" });
    await plainGit(cwd, "worktree", "add", "-q", "tree", "-b", "tree");
    const view = await openView(cwd);
    const { status, body } = await view.post("git/commit", {
      message: "All",
      all: true,
    });
    expect([status, body["command"]]).toEqual([
      200,
      "git add -A . && git commit -m All",
    ]);
    expect(await plainGit(cwd, "show", "--format=", "--name-status")).toBe(
      "M\ta\nA\tc/d",
    );
  });

  test("is the first one of a repository, and one on no branch", async () => {
    const cwd = join(await temporaryFolder(), "work");
    await writeFiles(cwd, { a: "1\n" });
    await plainGit(cwd, "init", "-q", "-b", "main");
    await plainGit(cwd, "config", "user.name", "Bea");
    await plainGit(cwd, "config", "user.email", "bea@example.org");
    const view = await openView(cwd);
    expect(await readState(view)).toMatchObject({
      head: null,
      undo: null,
      pushFault: "There is no commit yet.",
    });
    const first = await view.post("git/commit", {
      message: "First",
      all: true,
    });
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    expect((await readState(view)).undo).toBe(null);
    await plainGit(cwd, "switch", "-q", "--detach");
    await writeFiles(cwd, { a: "2\n" });
    const second = await view.post("git/commit", {
      message: "Second",
      all: true,
    });
    expect(second.status).toBe(200);
    expect(await readState(view)).toMatchObject({ branch: null, push: null });
    expect((await readState(view))["pushFault"]).toContain("git switch -c");
  });

  test("is made in a linked working tree, on its branch", async () => {
    const cwd = await fresh();
    await plainGit(cwd, "worktree", "add", "-q", "../tree", "-b", "tree");
    const tree = join(cwd, "../tree");
    await writeFiles(tree, { a: "2\n" });
    const view = await openView(tree);
    const { status } = await view.post("git/commit", {
      message: "Two",
      all: true,
    });
    expect(status).toBe(200);
    expect(await plainGit(cwd, "log", "--format=%s", "tree")).toBe(
      "Two\nBegin",
    );
    expect(await plainGit(cwd, "status", "--porcelain")).toBe("");
  });

  test("needs a name to commit with, and a message", async () => {
    const cwd = await fresh();
    await plainGit(cwd, "config", "user.name", "");
    await writeFiles(cwd, { a: "2\n" });
    const view = await openView(cwd);
    const unnamed = await view.post("git/commit", { message: "x", all: true });
    expect(unnamed.body).toMatchObject({
      status: 409,
      code: "GIT_IDENTITY_MISSING",
    });
    const empty = await view.post("git/commit", { message: " \n ", all: true });
    expect(empty.status).toBe(400);
    expect(await plainGit(cwd, "log", "--format=%s")).toBe("Begin");
  });
});

describe("programs of the repository", () => {
  test("are left out until the user lets git run them, and again once they are others", async () => {
    const cwd = await fresh();
    await writeHook(
      cwd,
      "pre-commit",
      "echo checked >&2; touch ran; ! grep -q bad a",
    );
    await writeFiles(cwd, { a: "2\n" });
    const view = await openView(cwd);
    const ran = () =>
      stat(join(cwd, "ran")).then(
        () => true,
        () => false,
      );
    const { programs } = await readState(view);
    expect(programs).toMatchObject({
      items: ["pre-commit hook"],
      required: [],
      trusted: false,
    });
    const plain = await view.post("git/commit", {
      message: "Plain",
      all: true,
    });
    expect([plain.status, plain.body["output"], await ran()]).toEqual([
      200,
      "",
      false,
    ]);

    const stale = await view.post("git/programs", { mark: "0", trusted: true });
    expect(stale.body).toMatchObject({
      status: 409,
      code: "GIT_PROGRAMS_CHANGED",
    });
    await view.post("git/programs", { mark: programs.mark, trusted: true });
    await writeFiles(cwd, { a: "3\n" });
    const checked = await view.post("git/commit", {
      message: "Checked",
      all: true,
    });
    expect([checked.status, checked.body["output"], await ran()]).toEqual([
      200,
      "checked",
      true,
    ]);
    await writeFiles(cwd, { a: "bad\n" });
    const refused = await view.post("git/commit", {
      message: "Refused",
      all: true,
    });
    expect(refused.body).toMatchObject({
      status: 409,
      code: "GIT_HOOK_FAILED",
      output: "checked",
    });
    expect(await plainGit(cwd, "log", "-1", "--format=%s")).toBe("Checked");

    // A setting that says nothing of programs leaves the trust as it is.
    await plainGit(cwd, "config", "branch.main.description", "x");
    expect((await readState(view)).programs.trusted).toBe(true);
    await writeHook(cwd, "pre-commit", "exit 0");
    const changed = (await readState(view)).programs;
    expect(changed.trusted).toBe(false);
    await view.post("git/programs", { mark: changed.mark, trusted: true });
    await view.post("git/programs", { mark: changed.mark, trusted: false });
    expect((await readState(view)).programs.trusted).toBe(false);
  });

  test("that decide how files are stored are not left out", async () => {
    const cwd = await fresh();
    await plainGit(cwd, "config", "filter.upper.clean", "tr a-z A-Z");
    await writeFiles(cwd, {
      ".gitattributes": "*.txt filter=upper\n",
      "b.txt": "b\n",
    });
    const view = await openView(cwd);
    const { programs } = await readState(view);
    expect(programs).toMatchObject({
      items: ["filter upper"],
      required: ["filter upper"],
    });
    const refused = await view.post("git/stage", {
      staged: true,
      paths: ["b.txt"],
    });
    expect(refused.body).toMatchObject({
      status: 403,
      code: "GIT_PROGRAMS_NEEDED",
    });
    expect(
      (
        await view.post("git/stage", {
          staged: true,
          paths: [".gitattributes"],
        })
      ).status,
    ).toBe(200);
    await view.post("git/programs", { mark: programs.mark, trusted: true });
    expect(
      (await view.post("git/stage", { staged: true, paths: ["b.txt"] })).status,
    ).toBe(200);
    expect(await plainGit(cwd, "cat-file", "-p", ":b.txt")).toBe("B");
  });
});

describe("the last commit", () => {
  test("is taken back, and what it changed stays staged", async () => {
    const cwd = await fresh();
    await writeFiles(cwd, { a: "2\n", b: "b\n" });
    const view = await openView(cwd);
    const made = await view.post("git/commit", {
      message: "Two\n\nWhy",
      all: true,
    });
    const { undo } = await readState(view);
    expect(undo).toEqual({ hash: made.body["hash"], subject: "Two" });
    const { status, body } = await view.post("git/undo-commit", {
      hash: undo?.hash,
    });
    expect([status, body]).toEqual([
      200,
      { message: "Two\n\nWhy", command: "git reset --soft HEAD~1" },
    ]);
    expect(await plainGit(cwd, "diff", "--cached", "--name-only")).toBe("a\nb");
    expect(await plainGit(cwd, "log", "--format=%s")).toBe("Begin");
    const again = await view.post("git/undo-commit", { hash: undo?.hash });
    expect(again.body).toMatchObject({
      status: 409,
      code: "GIT_UNDO_IMPOSSIBLE",
    });
  });

  test("stays where others have it, and where it is a merge", async () => {
    const cwd = await fresh();
    await plainGit(cwd, "commit", "-q", "--allow-empty", "-m", "Two");
    await plainGit(cwd, "update-ref", "refs/remotes/origin/main", "HEAD");
    const view = await openView(cwd);
    const undo = async () =>
      (
        await view.post("git/undo-commit", {
          hash: await plainGit(cwd, "rev-parse", "HEAD"),
        })
      ).body;
    expect((await undo())["detail"]).toContain("origin/main has it already");
    await plainGit(cwd, "switch", "-qc", "other", "HEAD~1");
    await plainGit(cwd, "commit", "-q", "--allow-empty", "-m", "Three");
    await plainGit(cwd, "merge", "-q", "--no-ff", "-m", "Merge", "main");
    expect((await undo())["detail"]).toContain("merge");
    expect((await readState(view)).undo).toBe(null);
  });
});
