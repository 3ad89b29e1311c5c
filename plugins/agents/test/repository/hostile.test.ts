import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createHostileRepository,
  createRepository,
  plainGit,
} from "../help/plain-git.ts";
import { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { partOf } from "../shipping/support/part-of.ts";

const READS: readonly [string, Record<string, string>][] = [
  ["git", {}],
  ["git", { limit: "1" }],
  ["git/head", {}],
  ["git/commit", { hash: "HEAD" }],
  ["git/commit", { hash: "main" }],
  ["git/blob", { hash: "HEAD", path: "a.txt" }],
  ["gitstatus", {}],
  ["gitdiff", {}],
  ["gitdiff", { path: "a.txt" }],
  ["gitdiff", { path: "run.sh" }],
  ["gitdiff", { path: "new.txt" }],
  ["delivery", {}],
  ["pr", {}],
  ["files", { q: "a" }],
  ["browse", {}],
  ["text", { path: "a.txt" }],
];

test("a repository that names programs runs them when git is run plainly, so that the next test says something", async () => {
  const cwd = join(await temporaryFolder(), "work");
  const { canary } = await createHostileRepository(cwd);
  for (const command of [["status"], ["diff"], ["log", "-p"]])
    await plainGit(cwd, ...command).catch(() => {});
  expect(existsSync(canary)).toBe(true);
});

test("none of them is run by any read, and all reads answer", async () => {
  const cwd = join(await temporaryFolder(), "work");
  const { canary } = await createHostileRepository(cwd);
  await using view = await RepositoryView.open(cwd);
  for (const [operation, query] of READS) {
    const { status, body } = await view.get(operation, query);
    expect([operation, status], JSON.stringify(body)).toEqual([operation, 200]);
    const ran = existsSync(canary) ? await readFile(canary, "utf8") : "";
    expect([operation, ran]).toEqual([operation, ""]);
  }
});

test("none of them is run by staging, discarding, a commit, its undoing, a push or a new worktree", async () => {
  const cwd = join(await temporaryFolder(), "work");
  const { canary } = await createHostileRepository(cwd);
  await using view = await RepositoryView.open(cwd);
  const { body } = await view.get<{ patch: string }>("gitdiff", {
    path: "a.txt",
  });
  const hunk = { path: "a.txt", ...partOf(body.patch, 0) };
  const message = "x";
  const head = await view.get("git/shipping");
  const writes: readonly [string, object][] = [
    ["git/stage", { staged: true, paths: ["new.txt"] }],
    ["git/stage", { staged: true, hunk }],
    ["git/stage", { staged: false, paths: ["a.txt"] }],
    ["git/stage", { staged: true, hunk }],
    ["git/discard", { hunk }],
    ["git/discard", { paths: ["a.txt"] }],
    ["git/discard", { paths: ["new.txt"] }],
    ["git/commit", { message, all: true }],
    ["git/commit", { message }],
    ["git/undo-commit", { hash: "0".repeat(40) }],
    ["git/push", {}],
  ];
  const answers: unknown[] = [];
  for (const [operation, input] of writes) {
    const answer = await view.post(operation, input);
    answers.push(answer.body.code ?? answer.status);
    const ran = existsSync(canary) ? await readFile(canary, "utf8") : "";
    expect([operation, ran]).toEqual([operation, ""]);
  }
  const worktree = await view.agents.kernel.api.post<{ code?: string }>(
    "/api/agents",
    { name: "Apart", cli: "practice", cwd, worktree: {} },
  );
  expect(worktree.body.code).toBe("WORKTREE_IMPOSSIBLE");
  expect(existsSync(canary)).toBe(false);
  expect(head.body).toMatchObject({ programs: { trusted: false } });
  expect(answers).toEqual([
    ...["GIT_PROGRAMS_NEEDED", 200, 200, 200],
    ...["GIT_PROGRAMS_NEEDED", "GIT_PROGRAMS_NEEDED", 200],
    "GIT_PROGRAMS_NEEDED",
    ...[200, "GIT_UNDO_IMPOSSIBLE", "GIT_PROGRAMS_NEEDED"],
  ]);
});

test(
  "a clone that borrows objects is refused with what to do, and read once that is done",
  { tags: "thorough" },
  async () => {
    const outer = await temporaryFolder();
    await createRepository(join(outer, "origin"), { "a.txt": "one\n" });
    await plainGit(outer, "clone", "-q", "--shared", "origin", "clone");
    const cwd = join(outer, "clone");
    await using view = await RepositoryView.open(cwd);
    for (const [operation, query] of READS.slice(0, 11)) {
      if (query["path"] === "run.sh") continue;
      const { status, body } = await view.get(operation, query);
      expect([operation, status, body]).toEqual([
        operation,
        403,
        expect.objectContaining({
          code: "GIT_OBJECTS_OUTSIDE",
          detail: expect.stringContaining("git repack -a -d") as string,
        }) as unknown,
      ]);
    }
    // Files are no objects.
    expect((await view.get("files", { q: "a" })).body).toMatchObject({
      items: [{ path: "a.txt" }],
    });
    await plainGit(cwd, "repack", "-q", "-a", "-d");
    await rm(join(cwd, ".git/objects/info/alternates"));
    expect((await view.get("gitstatus")).body).toMatchObject({ git: true });
  },
);

test("a repository that leads elsewhere is not read, and it is said why", async () => {
  const outer = await temporaryFolder();
  const secret = await createRepository(join(outer, "secret"), {
    key: "contents",
  });
  const cwd = await createRepository(join(outer, "work"), { a: "" });
  await plainGit(cwd, "config", "core.worktree", secret);
  await using view = await RepositoryView.open(cwd);
  for (const [operation, query] of READS.slice(0, 9)) {
    const { status, body } = await view.get(operation, query);
    expect(JSON.stringify(body), operation).not.toMatch(/contents|"key"/);
    const told =
      operation === "delivery" ? [200, null] : [409, "GIT_REPOSITORY_REFUSED"];
    expect([status, body.code ?? body.git], operation).toEqual(told);
  }
  await writeFile(join(outer, ".git"), `gitdir: ${secret}/.git\n`);
  const other = await view.at(outer);
  const { body } = await other.get("gitstatus");
  expect(body).toMatchObject({
    code: "GIT_REPOSITORY_REFUSED",
    detail: expect.stringContaining("does not name this folder") as string,
  });
});
