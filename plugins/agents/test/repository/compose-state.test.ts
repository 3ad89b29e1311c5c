import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";

interface Composed {
  command: string;
  steps: string[][];
  args: string[];
  warnings: string[];
  code?: string;
}

/** A repository with a remote that has `main` and `other`, on a branch that follows `main`. */
async function arrange() {
  const outer = await temporaryFolder();
  const cwd = await createRepository(join(outer, "work"), { a: "1\n" });
  await plainGit(outer, "init", "-q", "--bare", "-b", "main", "far.git");
  await plainGit(cwd, "remote", "add", "origin", join(outer, "far.git"));
  await plainGit(cwd, "push", "-q", "origin", "main", "main:other");
  await plainGit(cwd, "fetch", "-q");
  await plainGit(cwd, "switch", "-qc", "feature", "--track", "origin/main");
  await plainGit(cwd, "config", "push.default", "upstream");
  await plainGit(cwd, "config", "user.name", "Ann");
  await plainGit(cwd, "config", "user.email", "ann@example.org");
  const view = await RepositoryView.open(cwd);
  return {
    cwd,
    view,
    far: (name: string) =>
      plainGit(join(outer, "far.git"), "rev-parse", name).catch(() => ""),
    compose: async (body: Record<string, string>, id = view.id) =>
      (
        await view.agents.kernel.api.post<Composed>(
          `/api/agents/${id}/git/compose`,
          body,
        )
      ).body,
    run: (command: string, folder = cwd) =>
      promisify(execFile)("sh", ["-c", command], { cwd: folder }),
  };
}

test("a push names where it goes, and never writes to what the branch started at", async () => {
  const { cwd, view, far, compose, run } = await arrange();
  await using _ = view;
  await writeFiles(cwd, { a: "2\n" });
  await plainGit(cwd, "commit", "-qam", "Work");
  const main = await far("main");
  const push = await compose({ action: "push" });
  expect(push.args).toEqual([
    ...["git", "push", "-u", "origin", "HEAD:refs/heads/feature"],
  ]);
  expect(push.warnings.join()).toMatch(/follows origin\/main, .*may write/);
  await run(push.command);
  expect([await far("main"), await far("feature")]).toEqual([
    main,
    await plainGit(cwd, "rev-parse", "HEAD"),
  ]);
  expect((await compose({ action: "push" })).warnings).toEqual([]);
  // Another branch by its name, which git would send to what that follows.
  await plainGit(cwd, "branch", "second", "--track", "origin/main");
  await plainGit(cwd, "update-ref", "refs/heads/second", "HEAD");
  const named = await compose({ action: "push", name: "second" });
  await run(named.command);
  expect(await far("main")).toBe(main);
  expect(await far("second")).not.toBe("");
  await plainGit(cwd, "switch", "-q", "main");
  expect((await compose({ action: "push" })).warnings).toEqual([
    "This writes to main of origin.",
  ]);
  await plainGit(cwd, "switch", "-q", "--detach");
  expect((await compose({ action: "push" })).code).toBe("COMPOSE_INCOMPLETE");
  await plainGit(cwd, "switch", "-q", "feature");
  await plainGit(cwd, "remote", "add", "fork", "../fork.git");
  await plainGit(cwd, "config", "remote.pushDefault", "fork");
  expect((await compose({ action: "push" })).args[3]).toBe("fork");
  await plainGit(cwd, "config", "--unset", "remote.pushDefault");
  const evil = "--upload-pack=touch x";
  await plainGit(cwd, "config", "branch.feature.remote", evil);
  expect((await compose({ action: "push" })).code).toBe("COMPOSE_INCOMPLETE");
  // An address may hold a password.
  const secret = "https://ann:secret@example.org/x";
  await plainGit(cwd, "config", "branch.feature.remote", secret);
  expect(JSON.stringify(await compose({ action: "push" }))).not.toMatch(
    /secret/,
  );
  for (const name of ["origin", "fork"])
    await plainGit(cwd, "remote", "remove", name);
  expect((await compose({ action: "push", target: "far" })).warnings).toContain(
    "The repository has no remote; add one with git remote add first.",
  );
});

test(
  "a new branch follows nothing, and what is checked out is said as what it is",
  { tags: ["thorough"] },
  async () => {
    const { cwd, view, compose, run } = await arrange();
    await using _ = view;
    const target = "origin/main";
    for (const action of ["branch", "switch", "worktree"]) {
      const name = `by-${action}`;
      await run((await compose({ action, name, target })).command);
      const upstream = `--format=%(upstream)`;
      expect(
        await plainGit(cwd, "for-each-ref", upstream, `refs/heads/${name}`),
      ).toBe("");
    }
    await plainGit(cwd, "tag", "v1");
    const commandFor = async (wanted: string) =>
      (await compose({ action: "switch", target: wanted })).command;
    expect(await commandFor("main")).toBe("git switch main");
    expect(await commandFor("v1")).toBe("git switch --detach v1");
    expect(await commandFor("origin/other")).toBe(
      "git switch --track origin/other",
    );
    expect(
      (await compose({ action: "worktree", name: "main" })).args.slice(1),
    ).toEqual(["worktree", "add", "../main", "main"]);
    await plainGit(cwd, "branch", "--unset-upstream", "feature");
    await plainGit(cwd, "switch", "-q", "feature");
    expect((await compose({ action: "pull" })).command).toBe(
      "git pull --ff-only origin refs/heads/feature",
    );
    await writeFiles(cwd, { "deep/er/x": "" });
    const below = await view.at(join(cwd, "deep/er"));
    expect(
      (await compose({ action: "worktree", name: "x" }, below.id)).args.at(-1),
    ).toBe("../../../x");
  },
);

test(
  "a commit takes up new files, and no repository that lies among them",
  { tags: ["thorough"] },
  async () => {
    const { cwd, view, compose, run } = await arrange();
    await using _ = view;
    const commit = () => compose({ action: "commit", message: "It's done" });
    expect((await commit()).warnings).toEqual([
      "Nothing has changed, so there is nothing to commit.",
    ]);
    await writeFiles(cwd, { a: "2\n" });
    expect((await commit()).command).toBe("git commit -a -m 'It'\\''s done'");
    await plainGit(cwd, "worktree", "add", "-qb", "x", ".claude/x");
    await createRepository(join(cwd, "it's (nested)*"), { inner: "" });
    await writeFiles(cwd, { "-n": "", "new/file": "", "new/\u202eb": "" });
    const composed = await commit();
    expect(composed.warnings.join()).toContain("⟨U+202E⟩");
    expect(composed.args).toEqual(["git", "commit", "-m", "It's done"]);
    expect(composed.steps).toHaveLength(2);
    await run(composed.command);
    expect(
      (await plainGit(cwd, "-c", "core.quotePath=false", "ls-files", "-z"))
        .split("\0")
        .filter(Boolean),
    ).toEqual(["-n", "a", "new/file", "new/\u202eb"]);
    expect(await plainGit(cwd, "log", "-1", "--format=%s")).toBe("It's done");
  },
);
