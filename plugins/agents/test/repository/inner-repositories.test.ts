import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";

interface Status {
  items: { path: string; kind: string; submodule: string | null }[];
  repositories: { path: string; kind: string }[];
  notices: string[];
  [field: string]: unknown;
}

const fresh = async (files: Record<string, string> = { a: "1\n" }) =>
  createRepository(join(await temporaryFolder(), "work"), files);

async function addSubmodule(cwd: string, path: string): Promise<void> {
  const source = await fresh({ "lib.txt": "one\n", "old.txt": "old\n" });
  const allowed = ["-c", "protocol.file.allow=always"];
  await plainGit(cwd, ...allowed, "submodule", "-q", "add", source, path);
  await plainGit(cwd, "commit", "-qm", `Add ${path}`);
}

const show = async (view: RepositoryView) => {
  const { body } = await view.get<Status>("gitstatus");
  const { body: mark } = await view.get<{ dirty: boolean | null }>("git/head");
  const { body: delivery } = await view.get<{ git: { dirty: number | null } }>(
    "delivery",
  );
  return {
    rows: body.items.map(({ kind, path }) => `${kind} ${path}`).sort(),
    repositories: body.repositories
      .map(({ kind, path }) => `${kind} ${path}`)
      .sort(),
    notices: body.notices,
    dirty: mark.dirty,
    count: delivery.git.dirty,
  };
};

test("working trees and nested repositories are no files, wherever they are", async () => {
  const cwd = await fresh({ a: "1\n", "deep/b": "" });
  for (const [name, path] of Object.entries({ x: ".claude/x", y: "deep/y" }))
    await plainGit(cwd, "worktree", "add", "-qb", name, path);
  await createRepository(join(cwd, "vendor/lib"), { inner: "" });
  await mkdir(join(cwd, "empty"));
  await plainGit(join(cwd, "empty"), "init", "-q");
  await writeFiles(cwd, { "vendor/lib/new": "", ".claude/x/new": "" });
  await using view = await RepositoryView.open(cwd);
  expect(await show(view)).toEqual({
    rows: [],
    repositories: [
      "nested empty",
      "nested vendor/lib",
      "worktree .claude/x",
      "worktree deep/y",
    ],
    notices: [],
    dirty: false,
    count: 0,
  });
  const { body: hits } = await view.get<{ items: { path: string }[] }>(
    "files",
    { q: "lib" },
  );
  expect(hits.items).toEqual([]);
  for (const path of ["vendor/lib", ".claude/x"]) {
    const { body } = await view.get("gitdiff", { path });
    expect(body).toMatchObject({
      patch: "",
      notices: [expect.stringContaining("repository of its own") as string],
    });
  }
  await rename(join(cwd, "deep/y"), join(cwd, "deep/moved"));
  const { body: moved } = await view.get("gitdiff", { path: "deep/moved/b" });
  expect(moved["notices"]).toEqual([
    expect.stringMatching(/deep\/moved is a .*"git worktree repair"/),
  ]);
  await rename(join(cwd, "deep/moved"), join(cwd, "deep/y"));
  // A file beside them is one, and one in them is that of the inner one.
  await writeFiles(cwd, { "vendor/own": "x\n" });
  expect(await show(view)).toMatchObject({
    rows: ["untracked vendor/own"],
    dirty: true,
    count: 1,
  });
  await writeFiles(cwd, { "vendor/lib/new": "inner\n" });
  const { body } = await view.get("gitdiff", { path: "vendor/lib/new" });
  expect(body["patch"]).toContain("+++ b/vendor/lib/new");
  // Agents belong to the working tree that they are in, and to none in a repository of its own.
  await view.at(join(cwd, ".claude/x"));
  await view.at(join(cwd, "vendor/lib"));
  const { body: graph } = await view.get<{
    worktrees: { path: string; agents: object[]; current: boolean }[];
  }>("git");
  expect(
    graph.worktrees.map(({ path, agents, current }) => [
      path.slice(cwd.length),
      agents.length,
      current,
    ]),
  ).toEqual([
    ["", 1, true],
    ["/.claude/x", 1, false],
    ["/deep/y", 0, false],
  ]);
});

test(
  "a change in a submodule is a row, and opens",
  { tags: ["thorough"] },
  async () => {
    const cwd = await fresh();
    await addSubmodule(cwd, "lib");
    await writeFiles(cwd, { "lib/lib.txt": "two\n", "lib/new.txt": "new\n" });
    await using view = await RepositoryView.open(cwd);
    expect(await show(view)).toEqual({
      rows: ["modified lib/lib.txt", "untracked lib/new.txt"],
      repositories: ["submodule lib"],
      notices: [],
      dirty: true,
      count: 2,
    });
    for (const [path, text] of [
      ["lib/lib.txt", "+two"],
      ["lib/new.txt", "+new"],
    ] as const) {
      const { body } = await view.get("gitdiff", { path });
      expect(body["patch"]).toContain(`+++ b/${path}\n`);
      expect(body["patch"]).toContain(text);
    }
  },
);

test(
  "changes in submodules are rows, as deep as they are, and open",
  { tags: ["thorough"] },
  async () => {
    const cwd = await fresh();
    await addSubmodule(cwd, "parts/lib");
    const lib = join(cwd, "parts/lib");
    await addSubmodule(lib, "inner");
    await plainGit(cwd, "commit", "-qam", "Inner");
    await plainGit(
      cwd,
      "config",
      "-f",
      ".gitmodules",
      "submodule.parts/lib.ignore",
      "all",
    );
    await plainGit(cwd, "commit", "-qam", "Ignore");
    await using view = await RepositoryView.open(cwd);
    const repositories = ["submodule parts/lib", "submodule parts/lib/inner"];
    expect(await show(view)).toEqual({
      rows: [],
      repositories,
      notices: [],
      dirty: false,
      count: 0,
    });
    await writeFiles(lib, { "lib.txt": "two\n", "new.txt": "new\n" });
    await rm(join(lib, "old.txt"));
    await writeFiles(join(lib, "inner"), { "lib.txt": "deep\n" });
    expect(await show(view)).toMatchObject({
      rows: [
        "deleted parts/lib/old.txt",
        "modified parts/lib/inner/lib.txt",
        "modified parts/lib/lib.txt",
        "untracked parts/lib/new.txt",
      ],
      dirty: true,
      count: 4,
    });
    const patchOf = async (query: Record<string, string>) =>
      (await view.get<{ patch: string }>("gitdiff", query)).body.patch;
    expect(await patchOf({ path: "parts/lib/lib.txt" })).toContain(
      "--- a/parts/lib/lib.txt\n+++ b/parts/lib/lib.txt\n@@ -1 +1 @@\n-one\n+two\n",
    );
    expect(await patchOf({ path: "parts/lib/new.txt" })).toContain("+new");
    expect(await patchOf({ path: "parts/lib" })).toContain("+two");
    expect(await patchOf({})).toContain("+++ b/parts/lib/lib.txt");
    // Of a folder in the repository, with paths from there.
    const inside = await view.at(join(cwd, "parts"));
    expect((await show(inside)).rows).toContain("modified lib/lib.txt");
    // A commit in it is one row of the repository around it.
    await plainGit(lib, "add", "-A");
    await plainGit(lib, "commit", "-qm", "In lib");
    expect((await show(view)).rows).toContain("modified parts/lib");
    expect(await patchOf({ path: "parts/lib" })).toContain(
      "+Subproject commit",
    );
  },
);

test(
  "a repository that is only added as an entry is looked into like a submodule",
  { tags: ["thorough"] },
  async () => {
    const cwd = await fresh();
    await createRepository(join(cwd, "own"), { inner: "1\n" });
    await plainGit(cwd, "add", "own");
    await plainGit(cwd, "commit", "-qm", "Own");
    await writeFiles(cwd, { "own/inner": "2\n" });
    await using view = await RepositoryView.open(cwd);
    expect(await show(view)).toMatchObject({
      rows: ["modified own/inner"],
      repositories: ["submodule own"],
    });
  },
);

test(
  "what is not looked into is not told as clean",
  { tags: "thorough" },
  async () => {
    const cwd = await fresh();
    await addSubmodule(cwd, "lib");
    await using view = await RepositoryView.open(cwd);
    await rename(join(cwd, ".git/modules/lib"), join(cwd, "../lib.git"));
    await rm(join(cwd, "lib/.git"));
    await symlink("../../lib.git", join(cwd, "lib/.git"));
    const config = join(cwd, "../lib.git/config");
    await plainGit(cwd, "config", "-f", config, "core.worktree", "/elsewhere");
    await writeFile(join(cwd, "lib/lib.txt"), "two\n").catch(() => {});
    expect(await show(view)).toEqual({
      rows: [],
      repositories: ["submodule lib"],
      notices: [
        expect.stringMatching(
          /^The submodule lib was not looked into: .*does not name this folder/,
        ),
      ],
      dirty: null,
      count: null,
    });
    const { body } = await view.get("gitdiff");
    expect(body).toMatchObject({
      truncated: true,
      notices: [
        expect.stringMatching(
          /^lib is a .*does not name this folder/,
        ) as string,
      ],
    });
    // One that was never checked out has nothing to look at.
    await rm(join(cwd, "lib"), { recursive: true });
    await mkdir(join(cwd, "lib"));
    expect(await show(view)).toMatchObject({ rows: [], notices: [], count: 0 });
  },
);
