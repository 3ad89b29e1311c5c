import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";

let agents: AgentsKernel;
beforeAll(async () => {
  agents = await AgentsKernel.start();
});
afterAll(() => agents.kernel.stop());

interface Worker {
  id: string;
  cwd: string;
  workspaceId: string;
  worktree: { repository: string; branch: string; path: string } | null;
}

const make = (body: object) =>
  agents.kernel.api.post<Worker & { code?: string; detail?: string }>(
    "/api/agents",
    { cli: "practice", ...body },
  );

const fresh = async () =>
  createRepository(join(await temporaryFolder(), "shop"), {
    "a.txt": "one\n",
    "src/b.txt": "two\n",
  });

const place = async (path: string) =>
  (
    await agents.kernel.api.get<{
      repository: object | null;
      agents: { name: string }[];
      setup: string | null;
    }>("/api/workspaces/place", { path })
  ).body;

describe("an agent in a new worktree", () => {
  test("has the repository's files on a branch of its own, and leaves those that are there alone", async () => {
    const cwd = await fresh();
    const hook = join(cwd, ".git/hooks/post-checkout");
    await writeFiles(cwd, {
      ".git/hooks/post-checkout": `#!/bin/sh\ntouch ${dirname(cwd)}/ran\n`,
      "a.txt": "mine\n",
    });
    await chmod(hook, 0o755);
    const { status, body } = await make({
      name: "Tax rates",
      cwd,
      worktree: {},
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const { worktree } = body;
    expect(worktree).toEqual({
      repository: cwd,
      branch: "agent/tax-rates",
      path: body.cwd,
      setup: null,
      state: "ready",
    });
    expect(await readFile(join(body.cwd, "a.txt"), "utf8")).toBe("one\n");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("mine\n");
    expect(await readdir(dirname(cwd))).toEqual(["shop"]);
    expect(await plainGit(body.cwd, "status", "--porcelain", "--branch")).toBe(
      "## agent/tax-rates",
    );
    expect(await plainGit(cwd, "worktree", "list")).toContain(body.cwd);
    // The repository's own git finds its way from both sides.
    expect(
      await plainGit(
        body.cwd,
        "rev-parse",
        "--path-format=absolute",
        "--git-common-dir",
      ),
    ).toBe(join(cwd, ".git"));
    const again = await make({
      name: "Tax rates",
      cwd,
      worktree: { branch: null },
    });
    expect(again.body.worktree?.branch).toBe("agent/tax-rates-2");
    const inside = await make({
      name: "Inside",
      cwd: join(cwd, "src"),
      worktree: { branch: "x/y" },
    });
    expect(inside.body.cwd).toBe(join(inside.body.worktree!.path, "src"));
    const read = await agents.kernel.api.get<Worker>(`/api/agents/${body.id}`);
    expect(read.body.worktree).toEqual(worktree);
  });

  test("is not made where there can be none, and nothing is left of the try", async () => {
    const cwd = await fresh();
    const empty = await temporaryFolder();
    const unborn = join(await temporaryFolder(), "unborn");
    await writeFiles(unborn, { a: "" });
    await plainGit(unborn, "init", "-q");
    const before = await readdir(join(agents.kernel.home, "work")).catch(
      () => [],
    );
    const tries: [object, number, string][] = [
      [{ cwd: empty, worktree: {} }, 409, "WORKTREE_IMPOSSIBLE"],
      [{ cwd: unborn, worktree: {} }, 409, "WORKTREE_IMPOSSIBLE"],
      [{ worktree: {} }, 409, "WORKTREE_IMPOSSIBLE"],
      [{ cwd, worktree: { branch: "main" } }, 409, "WORKTREE_IMPOSSIBLE"],
      [{ cwd, worktree: { branch: "--detach" } }, 400, "REVISION_INVALID"],
      [{ cwd, worktree: { branch: "a..b" } }, 400, "REVISION_INVALID"],
      [{ cwd, worktree: { branch: "main/below" } }, 502, "GIT_WRITE_FAILED"],
    ];
    for (const [body, status, code] of tries) {
      const answer = await make({ name: "No", ...body });
      expect([body, answer.status, answer.body.code]).toEqual([
        body,
        status,
        code,
      ]);
    }
    expect(
      await readdir(join(agents.kernel.home, "work")).catch(() => []),
    ).toEqual(before);
    expect(
      await plainGit(cwd, "worktree", "list", "--porcelain"),
    ).not.toContain("work/no");
  });

  test("runs its setup first; what is said to it waits, and the next one is offered it", async () => {
    const cwd = await fresh();
    const { body } = await make({
      ...{ name: "Sets up", cwd },
      worktree: {
        setup: "until [ -e go ]; do sleep 0.05; done; echo ready > done",
      },
    });
    const asked = agents.ask(body.id, "[[run:cat done]]");
    await writeFile(join(body.cwd, "go"), "");
    expect((await asked).status).toBe(200);
    const entries = await agents.entries(body.id);
    const tools = entries.filter(({ kind }) => kind === "tool");
    expect(tools.map(({ text }) => text.trim())).toEqual(["", "ready"]);
    expect((await place(cwd)).setup).toContain("until [ -e go ]");
  });
});

describe("the end of a worktree", () => {
  test("tells what would be lost; the branch and its commits stay", async () => {
    const cwd = await fresh();
    const { body } = await make({ name: "Ends", cwd, worktree: {} });
    await writeFiles(body.cwd, { "c.txt": "three\n", ".gitignore": ".env\n" });
    await plainGit(body.cwd, "add", ".");
    await plainGit(body.cwd, "commit", "-qm", "Three");
    await writeFiles(body.cwd, {
      ...{ "a.txt": "changed\n", "é.txt": "new\n" },
      ".env": "TOKEN=1\n",
    });
    const path = `/api/agents/${body.id}`;
    const { body: cleanup } = await agents.kernel.api.get<object>(
      `${path}/cleanup`,
    );
    expect(cleanup).toMatchObject({
      workFolder: body.cwd,
      worktree: {
        branch: "agent/ends",
        changed: ["a.txt", "é.txt"],
        changes: 2,
        ignored: [".env"],
        commits: 1,
      },
    });
    const gone = await agents.kernel.api.delete(path, { workFolder: true });
    expect(gone.status).toBe(200);
    expect(
      await plainGit(cwd, "worktree", "list", "--porcelain"),
    ).not.toContain("ends");
    expect(await plainGit(cwd, "log", "-1", "--format=%s", "agent/ends")).toBe(
      "Three",
    );
    // Git lets go of the branch as well.
    await plainGit(cwd, "branch", "-D", "agent/ends");
  });

  test("leaves the folder of the repository and all other worktrees", async () => {
    const cwd = await fresh();
    const { body } = await make({ name: "Stays", cwd, worktree: {} });
    await agents.kernel.api.delete(`/api/agents/${body.id}`, {
      workFolder: false,
    });
    expect(await plainGit(body.cwd, "branch", "--show-current")).toBe(
      "agent/stays",
    );
    expect(await readdir(cwd)).toContain("a.txt");
  });
});

test("a place tells the repository, and who works in the same working tree", async () => {
  const cwd = await fresh();
  const open = async (name: string, body: object) => {
    const { body: agent } = await make({ name, cwd, ...body });
    await agents.ask(agent.id, "[[reply:here]]");
    return agent;
  };
  await open("Here", {});
  await open("Deep", { cwd: join(cwd, "src") });
  const apart = await open("Apart", { worktree: {} });
  await make({ name: "Closed", cwd });
  const found = await place(cwd);
  expect(found.agents.map(({ name }) => name).sort()).toEqual(["Deep", "Here"]);
  expect(found.repository).toEqual({
    root: cwd,
    branch: "main",
    hasCommits: true,
  });
  expect((await place(apart.cwd)).agents.map(({ name }) => name)).toEqual([
    "Apart",
  ]);
  const plain = await temporaryFolder();
  expect(await place(plain)).toMatchObject({
    repository: null,
    agents: [],
    setup: null,
  });
});
