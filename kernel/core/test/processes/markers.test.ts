import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createMarkers,
  MARKER_VARIABLE,
} from "@gantry/system/processes/markers";
import { bootId, startTimeOf } from "@gantry/system/processes/identity";
import { pluginCode, putPlugin, startDaemon } from "../support/daemon.ts";
import {
  allGone,
  createTestRun,
  isRunning,
  SHELL,
} from "../../../system/test/support/processes.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** A process that belongs to no plugin: another daemon's leftover, or a stranger. */
async function startStranger(token?: string): Promise<number> {
  const child = spawn("/bin/sleep", ["1000"], {
    detached: true,
    stdio: "ignore",
    env: token ? { [MARKER_VARIABLE]: token } : {},
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return child.pid ?? 0;
}

async function start() {
  const folder = await temporaryFolder();
  const put = (name: string, marker: object | string) =>
    writeFile(
      join(folder, `${name}.json`),
      typeof marker === "string" ? marker : JSON.stringify(marker),
    );
  return { folder, put, markers: createMarkers(folder) };
}

test("a child is written down while it lives, for its user's eyes only", async () => {
  const { run, folder } = await createTestRun();
  const child = await run("/bin/sleep", ["1000"]);
  const [name = ""] = await readdir(folder);
  const file = join(folder, name);
  await vi.waitFor(async () => {
    const marker = JSON.parse(await readFile(file, "utf8")) as object;
    expect(marker).toMatchObject({
      owner: "probe",
      pid: child.pid,
      startTime: await startTimeOf(child.pid),
      bootId: await bootId(),
    });
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await child.kill();
  expect(await readdir(folder)).toEqual([]);
});

test("what a dead daemon left is ended, by its number or by its mark", async () => {
  const { put, markers, folder } = await start();
  const [byNumber, byMark] = [
    await startStranger(),
    await startStranger("bbbb"),
  ];
  const common = { owner: "probe", bootId: await bootId() };
  await put("aaaa", {
    ...common,
    token: "aaaa",
    pid: byNumber,
    startTime: await startTimeOf(byNumber),
  });
  await put("bbbb", { ...common, token: "bbbb" });
  expect(await markers.endLeftovers()).toBe(2);
  await allGone([byNumber, byMark]);
  expect(await readdir(folder)).toEqual([]);
});

test("a stranger that got the number since is left alone", async () => {
  const { put, markers, folder } = await start();
  const stranger = await startStranger();
  const startTime = await startTimeOf(stranger);
  const boot = await bootId();
  await put("older", {
    token: "older",
    owner: "probe",
    bootId: boot,
    pid: stranger,
    startTime: `${startTime}0`,
  });
  await put("unknown", {
    token: "unknown",
    owner: "probe",
    bootId: boot,
    pid: stranger,
  });
  await put("before-boot", {
    token: "before-boot",
    owner: "probe",
    bootId: "another",
    pid: stranger,
    startTime,
  });
  expect(await markers.endLeftovers()).toBe(0);
  expect(await isRunning(stranger)).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

test("a marker that is damaged stops nothing", async () => {
  const { put, markers, folder } = await start();
  for (const [n, text] of [
    "",
    "{",
    "null",
    "5",
    "[]",
    "{}",
    '{"pid":1}',
    '{"token":""}',
  ].entries())
    await put(String(n), text);
  expect(await markers.endLeftovers()).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});

test("a marker that cannot be removed keeps no other", async () => {
  const { put, markers, folder } = await start();
  // No file, so that it cannot be removed as one.
  await mkdir(join(folder, "0000.json"));
  await put("1111", "{}");
  expect(await markers.endLeftovers()).toBe(0);
  expect(await readdir(folder)).toEqual(["0000.json"]);
});

test("the next daemon ends what one that was killed has left, also what left the group", async () => {
  const home = await temporaryFolder();
  const script =
    "sleep 1000 & setsid sleep 1000 & echo $$ >> pids; pgrep -P $$ >> pids; mv pids ready; wait";
  const setup = `await ctx.run(${JSON.stringify(SHELL)}, ["-c", ${JSON.stringify(script)}], { cwd: await ctx.folder() });`;
  await putPlugin(home, "starter", pluginCode("starter", setup));
  const first = await startDaemon(home);
  const ready = join(home, "data", "starter", "ready");
  const pids = await vi.waitFor(async () =>
    (await readFile(ready, "utf8")).split("\n").filter(Boolean).map(Number),
  );
  expect(pids.length).toBeGreaterThanOrEqual(3);
  first.kill("SIGKILL");
  await first.ended;
  expect(await Promise.all(pids.map(isRunning))).not.toContain(false);
  const second = await startDaemon(home, ["--safe"]);
  await allGone(pids);
  expect(second.log()).toContainEqual(
    expect.objectContaining({
      message: "Ended processes that a crashed daemon left behind",
      count: 1,
    }),
  );
});
