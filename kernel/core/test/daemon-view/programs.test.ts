import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDaemonView } from "../../src/daemon-view/daemon-view.ts";
import { createLogRing } from "@gantry/system/log/log-ring";
import { createChildren } from "@gantry/system/processes/children";
import { openDetachedPrograms } from "@gantry/system/processes/detached-programs";
import { startTimeFromPs } from "@gantry/system/processes/identity";
import {
  createTestRun,
  isRunning,
  SHELL,
} from "../../../system/test/support/processes.ts";
import { startProbe } from "../support/probe.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** What is left when a test fails. */
const endAtLast = (pid: number) =>
  onTestFinished(async () => {
    if (await isRunning(pid)) process.kill(pid);
  });

/** The mark that a process has in its environment. */
const markOf = async (pid: number, variable: string) =>
  (await readFile(`/proc/${pid}/environ`, "utf8"))
    .split("\0")
    .find((entry) => entry.startsWith(`${variable}=`))
    ?.slice(variable.length + 1);

test("a program is listed with its mark while it runs, the newest first", async () => {
  await using kernel = await startProbe();
  const { daemon, run } = kernel.ctx;
  expect(await daemon.programs()).toEqual([]);
  const cwd = await realpath(await temporaryFolder());
  const subject = { type: "agent", id: "agt_1" };
  const child = await run("/bin/sleep", ["1000"], { cwd, subject });
  const mark = await markOf(child.pid, "GANTRY_PROCESS_TREE");
  expect(mark).toEqual(expect.any(String));
  expect(await daemon.programs()).toEqual([
    {
      pid: child.pid,
      plugin: "probe",
      program: "sleep",
      cwd,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      subject,
      isHost: false,
      mark,
    },
  ]);
  const later = await run(SHELL, ["-c", "sleep 1000"]);
  expect((await daemon.programs()).map(({ pid }) => pid)).toEqual([
    later.pid,
    child.pid,
  ]);
  await Promise.all([child.kill(), later.kill()]);
  expect(await daemon.programs()).toEqual([]);
});

test("a program that outlives the daemon is listed by the next one, until it has ended", async () => {
  await using kernel = await startProbe();
  const { run } = kernel.ctx;
  const { pid } = await run.detach("/bin/sleep", ["1000"]);
  endAtLast(pid);
  const host = await run.detach("/bin/sleep", ["1000"], { isHost: true });
  endAtLast(host.pid);
  const mark = await markOf(host.pid, "GANTRY_DETACHED_TREE");
  const listed = await kernel.ctx.daemon.programs();
  expect(listed).toHaveLength(2);
  expect(listed).toContainEqual(
    expect.objectContaining({ pid, mark: null, isHost: false, subject: null }),
  );
  expect(listed).toContainEqual(
    expect.objectContaining({ pid: host.pid, mark, isHost: true }),
  );
  await kernel.restart();
  const { daemon } = kernel.ctx;
  expect(await daemon.programs()).toEqual(expect.arrayContaining(listed));
  for (const program of listed) process.kill(program.pid, "SIGKILL");
  await expect.poll(() => daemon.programs()).toEqual([]);
});

test("a stranger that got the number of a detached program is not listed", async () => {
  const folder = await temporaryFolder();
  const detached = openDetachedPrograms(folder);
  const view = createDaemonView({
    startedAt: "2026-03-02T12:00:00.000Z",
    plugins: () => [],
    children: createChildren(),
    detached,
    logRing: createLogRing(),
  });
  const { run } = await createTestRun(process.env, detached);
  const { pid } = await run.detach("/bin/sleep", ["1000"]);
  endAtLast(pid);
  expect(await view.programs()).toMatchObject([{ pid, plugin: "probe" }]);
  const file = join(folder, `${pid}.json`);
  const known = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...known, startTime: "1" }));
  expect(await view.programs()).toEqual([]);
});

test("where there is no /proc, the start is the text that `ps` prints, the same each time", async () => {
  const start = await startTimeFromPs(process.pid);
  expect(start).toMatch(/^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/);
  expect(await startTimeFromPs(process.pid)).toBe(start);
  expect(await startTimeFromPs(2 ** 22 + 1)).toBeUndefined();
});

test("a stopped plugin no longer sees anything", async () => {
  await using kernel = await startProbe();
  await kernel.kernel.plugins.stop("probe");
  const reads = ["logLines", "programs", "plugins", "facts", "checks"] as const;
  for (const read of reads)
    expect(() => kernel.ctx.daemon[read]()).toThrow(
      expect.objectContaining({ code: "PLUGIN_STOPPED" }),
    );
});
