import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SessionLocks } from "../../src/live/session-locks.ts";
import { isSameProcess, startTimeOf } from "../../src/live/process-identity.ts";
import { until } from "../help/wait.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-locks-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function startSleeper() {
  return spawn("sleep", ["300"], { stdio: "ignore" });
}

test("a conversation has one writer, also among many who want it at once", async () => {
  const locks = await SessionLocks.create(folder);
  const wanted = await Promise.allSettled(
    Array.from({ length: 20 }, () => locks.take("pi", "s1", "agt")),
  );
  expect(wanted.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const result of wanted) {
    if (result.status === "rejected")
      expect(result.reason).toMatchObject({ code: "AGENT_SESSION_LOCKED" });
  }
  await expect(locks.take("other", "s1", "agt")).resolves.toBeDefined();
});

test("what was released can be taken again, and leaves no file", async () => {
  const locks = await SessionLocks.create(folder);
  for (let count = 0; count < 3; count += 1)
    await (await locks.take("pi", "s1", "agt")).release();
  expect(await readdir(folder)).toEqual([]);
});

test("a lock outlives the daemon as long as the CLI that it was handed to", async () => {
  const sleeper = startSleeper();
  const before = await SessionLocks.create(folder);
  await (await before.take("pi", "s1", "agt")).hand(sleeper.pid ?? 0);
  // Another daemon, later.
  const after = await SessionLocks.create(folder);
  await expect(after.take("pi", "s1", "agt")).rejects.toMatchObject({
    code: "AGENT_SESSION_LOCKED",
    message: expect.stringContaining(String(sleeper.pid)) as string,
  });
  sleeper.kill("SIGKILL");
  await until(
    async () => !(await isSameProcess(sleeper.pid ?? 0, null)),
    "the CLI is gone",
  );
  await expect(after.take("pi", "s1", "agt")).resolves.toBeDefined();
});

test("a number that now belongs to another process holds nothing", async () => {
  const locks = await SessionLocks.create(folder);
  await locks.take("pi", "s1", "agt");
  const [file = ""] = await readdir(folder);
  await writeFile(
    join(folder, file),
    JSON.stringify({ agentId: "agt", pid: process.pid, startTime: "1" }),
  );
  await expect(
    (await SessionLocks.create(folder)).take("pi", "s1", "agt"),
  ).resolves.toBeDefined();
});

test("a lock that a crash has torn holds nothing", async () => {
  const locks = await SessionLocks.create(folder);
  await locks.take("pi", "s1", "agt");
  const [file = ""] = await readdir(folder);
  await writeFile(join(folder, file), '{"pid":');
  await expect(
    (await SessionLocks.create(folder)).take("pi", "s1", "agt"),
  ).resolves.toBeDefined();
});

test("a process is told by its number and its start", async () => {
  expect(await isSameProcess(process.pid, await startTimeOf(process.pid))).toBe(
    true,
  );
  expect(await isSameProcess(2 ** 22 + 1, null)).toBe(false);
  expect(await startTimeOf(2 ** 22 + 1)).toBeNull();
});
