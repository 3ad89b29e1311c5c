import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TurnChangesChanged } from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { startDoomedDaemon } from "../help/doomed-daemon.ts";
import { createRepository, plainGit } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { TurnsView } from "../help/turns-view.ts";
import { until } from "../help/wait.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const openFolder = async () =>
  await createRepository(join(await temporaryFolder(), "work"), {
    "a.txt": "one\n",
  });

const kept = (home: string) =>
  readdir(join(home, "cache/checkpoints")).catch(() => []);

/** Whether any repository of checkpoints has a content. */
async function holds(home: string, content: string): Promise<boolean> {
  const folder = join(home, "cache/checkpoints");
  for (const name of await kept(home)) {
    const args = ["--git-dir", join(folder, name), "cat-file"];
    const batch = ["--batch-all-objects", "--batch", "--buffer"];
    if ((await plainGit(folder, ...args, ...batch)).includes(content))
      return true;
  }
  return false;
}

test("an event tells that the changes of a turn are known, and that they were undone", async () => {
  await using view = await TurnsView.open(await openFolder());
  const told = () =>
    view.agents.kernel.events
      .all(TurnChangesChanged)
      .map(({ subject, data }) => ({ subject, data }));
  await view.run("true");
  const { turnId } = await view.change("echo x > a.txt");
  const one = { subject: view.id, data: { turnId } };
  expect(told()).toEqual([one]);
  await view.restore(turnId);
  expect(told()).toEqual([one, one]);
});

test("a deleted agent leaves nothing, and what another one keeps in the same folder stays", async () => {
  await using view = await TurnsView.open(await openFolder());
  const { kernel } = view.agents;
  const other = await view.at(view.folder);
  await view.change("echo first-secret > a.txt");
  await view.change("echo second > a.txt");
  const { turnId } = await other.change("echo third > b.txt");
  expect(await holds(kernel.home, "first-secret")).toBe(true);
  const deleted = await kernel.api.delete(`/api/agents/${view.id}`);
  expect(deleted.status).toBe(200);
  expect(await holds(kernel.home, "first-secret")).toBe(false);
  expect((await other.restore(turnId)).status).toBe(200);
  await kernel.api.delete(`/api/agents/${other.id}`);
  expect(await kept(kernel.home)).toEqual([]);
});

test("a daemon that is killed during a turn claims nothing of it", async () => {
  const cwd = await openFolder();
  const home = await temporaryFolder();
  const daemon = await startDoomedDaemon(home, {});
  const input = { name: "Doomed", cli: "practice", cwd };
  const { body } = await daemon.call<{ id: string }>(
    ...(["POST", "/api/agents", input] as const),
  );
  const message = "[[run:echo x > a.txt; echo > started; sleep 300]]";
  await daemon.call("POST", `/api/agents/${body.id}/prompt`, { message });
  await until(async () => existsSync(join(cwd, "started")), "the turn runs");
  expect(await kept(home)).toHaveLength(1);
  await daemon.kill();
  await using agents = await AgentsKernel.start({ home });
  const view = new TurnsView(agents, body.id, cwd);
  expect((await view.list()).items).toEqual([]);
  const { list } = await view.change("echo y > b.txt");
  expect(list.map(({ path }) => path)).toEqual(["b.txt"]);
});

test("what is too old goes, and with it what only that had", async () => {
  const cwd = await openFolder();
  await using view = await TurnsView.open(cwd, { fakeTime: true });
  const { kernel } = view.agents;
  await view.change("echo old-secret > a.txt");
  await view.change("echo newer > a.txt");
  expect((await view.list()).items).toHaveLength(2);
  const later = Date.parse(kernel.clock.timestamp()) + 15 * DAY_MS;
  kernel.clock.jumpWall(later);
  await kernel.restart();
  await until(
    async () => !(await holds(kernel.home, "old-secret")),
    "what is old is removed",
  );
  expect((await view.list()).items).toEqual([]);
  expect(await kept(kernel.home)).toHaveLength(1);
  await rm(cwd, { recursive: true });
  await kernel.restart();
  await until(async () => (await kept(kernel.home)).length === 0, "it is gone");
  expect(existsSync(cwd)).toBe(false);
});

test("a folder that is too large has no checkpoints, which is told, and turns continue", async () => {
  const cwd = await openFolder();
  await using view = await TurnsView.open(cwd);
  await view.run(
    "truncate -s 31M big1; for i in $(seq 2 18); do cp big1 big$i; done; truncate -s 33M huge",
  );
  await view.run("echo x > a.txt");
  expect(await view.list()).toEqual({
    git: true,
    items: [],
    notice: expect.stringContaining("512 MiB") as string,
  });
});

test("a file that is too large is told and left alone", async () => {
  const cwd = await openFolder();
  await using view = await TurnsView.open(cwd);
  const turn = await view.change("truncate -s 33M huge; echo x > a.txt");
  expect(turn.list.map(({ path }) => path)).toEqual(["a.txt"]);
  expect(turn.notices).toEqual([
    "huge is too large or not to be read, so it is not kept.",
  ]);
  const grown = await view.change("truncate -s 33M a.txt; echo x > b.txt");
  expect(grown.list.map(({ path }) => path)).toEqual(["b.txt"]);
  expect(await view.restore(turn.turnId, { overwrite: true })).toMatchObject({
    status: 413,
    body: { code: "FILE_TOO_LARGE" },
  });
});
