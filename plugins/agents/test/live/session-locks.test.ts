import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSessionProcesses } from "@gantry/plugin/processes";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SessionLocks } from "../../src/live/session-locks.ts";
import {
  identifyProcess,
  isProcessAlive,
  isTreeAlive,
} from "../../src/live/process-identity.ts";
import { startSleeper } from "../help/sleeper.ts";
import { isRunning, until } from "../help/wait.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-locks-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
  await (await before.take("pi", "s1", "agt")).hand(sleeper.pid);
  // Another daemon, later.
  const after = await SessionLocks.create(folder);
  await expect(after.take("pi", "s1", "agt")).rejects.toMatchObject({
    code: "AGENT_SESSION_LOCKED",
    message: expect.stringContaining(String(sleeper.pid)) as string,
  });
  await sleeper.end();
  await expect(after.take("pi", "s1", "agt")).resolves.toBeDefined();
});

test("a lock that is given up stays with a CLI that is still alive", async () => {
  const sleeper = startSleeper();
  const locks = await SessionLocks.create(folder);
  const lock = await locks.take("pi", "s1", "agt");
  await lock.hand(sleeper.pid);
  await lock.release();
  await expect(locks.take("pi", "s1", "agt")).rejects.toMatchObject({
    code: "AGENT_SESSION_LOCKED",
  });
  await sleeper.end();
  await expect(locks.take("pi", "s1", "agt")).resolves.toBeDefined();
});

test("a launcher that ends leaves the lock with the program that it launched", async () => {
  const sleeper = startSleeper("sleep 300 & wait");
  const { pid } = sleeper;
  const locks = await SessionLocks.create(folder);
  const lock = await locks.take("codex", "s1", "agt");
  await until(
    async () => (await findSessionProcesses(pid)).length === 2,
    "it has launched the program",
  );
  await lock.hand(pid);
  process.kill(pid, "SIGKILL");
  await until(async () => !(await isRunning(pid)), "the launcher has ended");
  await lock.release();
  await expect(locks.take("codex", "s1", "agt")).rejects.toMatchObject({
    code: "AGENT_SESSION_LOCKED",
  });
  await sleeper.end();
  await expect(locks.take("codex", "s1", "agt")).resolves.toBeDefined();
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

test("a sweep removes nothing of a lock that is being transferred", async () => {
  const locks = await SessionLocks.create(folder);
  const lock = await locks.take("pi", "s1", "agt");
  const [file = ""] = await readdir(folder);
  // The transfer writes this file before it replaces the lock.
  const draft = `${file}.tmp_1`;
  await writeFile(join(folder, draft), "");
  expect(await locks.sweep()).toEqual([]);
  expect(await readdir(folder)).toContain(draft);
  await lock.release();
  await locks.sweep();
  expect(await readdir(folder)).toEqual([]);
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

test("a process is known by its number, its start and the boot", async () => {
  const own = await identifyProcess(process.pid);
  expect(await isProcessAlive(own)).toBe(true);
  for (const other of [{ startTime: "1" }, { bootId: "another" }]) {
    expect(await isProcessAlive({ ...own, ...other })).toBe(false);
    expect(await isTreeAlive({ ...own, ...other })).toBe(false);
  }
  const none = await identifyProcess(2 ** 22 + 1);
  expect(none.startTime).toBeNull();
  expect(await isProcessAlive(none)).toBe(false);
});
