import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { until } from "../help/wait.ts";

let agents: AgentsKernel;
beforeAll(async () => {
  agents = await AgentsKernel.start();
});
afterAll(() => agents.kernel.stop());

const fresh = async () =>
  createRepository(join(await temporaryFolder(), "shop"), {
    "a.txt": "one\n",
    "src/b.txt": "two\n",
  });
const make = (name: string, cwd: string, setup: string | null = null) =>
  agents.create({ ...{ cli: "practice", name, cwd }, worktree: { setup } });
const remove = (id: string, body: object = {}) =>
  agents.kernel.api.delete<{
    code?: string;
    detail?: string;
    state?: string;
    worktree?: { state: string };
  }>(`/api/agents/${id}/worktree`, body);
const makeAgain = (id: string) =>
  agents.kernel.api.post<{ code?: string; detail?: string }>(
    `/api/agents/${id}/worktree`,
    {},
  );

test("a worktree is removed while its agent, conversation and branch stay, and is made again", async () => {
  const cwd = await fresh();
  const agent = await make("Merged", cwd, "echo prepared >> .git-prepared");
  const { id } = agent;
  await agents.ask(id, "[[run:echo three > c.txt]][[reply:done]]");
  await plainGit(agent.cwd, "add", "c.txt");
  await plainGit(agent.cwd, "commit", "-qm", "Three");

  const refused = await remove(id);
  expect([refused.status, refused.body.code]).toEqual([409, "WORKTREE_KEPT"]);
  expect(refused.body.detail).toContain("1 file has changes");
  expect((await agents.get(id)).state).toBe("open");

  const removed = await remove(id, { discard: true });
  expect(removed.status, JSON.stringify(removed.body)).toBe(200);
  expect(removed.body).toMatchObject({
    state: "closed",
    worktree: { state: "removed", branch: "agent/merged" },
  });
  expect(await readdir(join(agents.kernel.home, "work"))).not.toContain(
    "merged",
  );
  expect(await plainGit(cwd, "worktree", "list")).not.toContain("merged");
  expect(await plainGit(cwd, "log", "-1", "--format=%s", "agent/merged")).toBe(
    "Three",
  );
  const entries = await agents.entries(id);
  expect(entries.map(({ text }) => text)).toContain("done");
  expect((await remove(id)).status).toBe(200);
  expect(
    (await agents.kernel.api.get(`/api/agents/${id}/cleanup`)).body,
  ).toMatchObject({ workFolder: null, worktree: null });
  expect((await agents.ask(id, "[[reply:no]]")).body).toMatchObject({
    code: "AGENT_FOLDER_INVALID",
    detail: expect.stringContaining("make the worktree again"),
  });

  expect((await makeAgain(id)).status).toBe(200);
  await until(
    async () => (await agents.get(id)).worktree?.state === "ready",
    "the setup has run again",
  );
  expect((await makeAgain(id)).status).toBe(200);
  expect(await readFile(join(agent.cwd, "c.txt"), "utf8")).toBe("three\n");
  expect(await readFile(join(agent.cwd, ".git-prepared"), "utf8")).toBe(
    "prepared\n",
  );
  expect((await agents.ask(id, "[[run:ls]]")).status).toBe(200);
});

test("a worktree stays that another agent needs, or that is none of its own", async () => {
  const cwd = await fresh();
  const agent = await make("Shared", cwd);
  const inside = await agents.create({
    ...{ cli: "practice", name: "Guest", cwd: join(agent.cwd, "src") },
  });
  for (const id of [agent.id, inside.id]) {
    const { status, body } = await remove(id, { discard: true });
    expect([status, body.code]).toEqual([409, "WORKTREE_KEPT"]);
  }
  expect(await readdir(agent.cwd)).toContain("a.txt");
  expect((await makeAgain(inside.id)).body.code).toBe("WORKTREE_KEPT");
  expect((await remove(`agt_${"x".repeat(24)}`)).status).toBe(404);
  expect((await remove(agent.id, { discard: "yes" })).status).toBe(400);
});

test("what is in the way of making it again is named, and stays", async () => {
  const cwd = await fresh();
  const agent = await make("Blocked", cwd);
  await remove(agent.id);
  await writeFiles(agent.cwd, { "mine.txt": "mine\n" });
  expect((await makeAgain(agent.id)).body).toMatchObject({
    code: "WORKTREE_IMPOSSIBLE",
    detail: expect.stringContaining("something else") as string,
  });
  expect(await readdir(agent.cwd)).toEqual(["mine.txt"]);
  await rename(agent.cwd, `${agent.cwd}-away`);
  await plainGit(cwd, "branch", "-D", "agent/blocked");
  expect((await makeAgain(agent.id)).body).toMatchObject({
    code: "WORKTREE_IMPOSSIBLE",
    detail: "The branch agent/blocked is gone.",
  });
  await rename(cwd, `${cwd}-away`);
  expect((await makeAgain(agent.id)).body).toMatchObject({
    code: "WORKTREE_IMPOSSIBLE",
    detail: `The repository ${cwd} is gone.`,
  });
});

test("a worktree that was deleted by hand is noted as removed", async () => {
  const cwd = await fresh();
  const agent = await make("By hand", cwd);
  await rm(agent.cwd, { recursive: true });
  expect((await remove(agent.id)).body).toMatchObject({
    worktree: { state: "removed" },
  });
  expect((await makeAgain(agent.id)).status).toBe(200);
  expect(await readdir(agent.cwd)).toContain("a.txt");
});
