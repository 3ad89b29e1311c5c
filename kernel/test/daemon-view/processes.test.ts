import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { DaemonProcess } from "@gantry/plugin";
import { createSystemClock } from "../../src/clock/system-clock.ts";
import { createDaemonView } from "../../src/daemon-view/daemon-view.ts";
import { createLogRing } from "../../src/log/log-ring.ts";
import { createChildren } from "../../src/processes/children.ts";
import { openDetachedPrograms } from "../../src/processes/detached-programs.ts";
import { createMarkers } from "../../src/processes/markers.ts";
import { createRun } from "../../src/processes/run.ts";
import { createFakeClock } from "../../testing/src/index.ts";
import { startProbe } from "../support/probe.ts";
import { allGone, isRunning, readPids, SHELL } from "../support/processes.ts";
import { temporaryFolder } from "../support/temporary.ts";

/**
 * Prints the ids of two children and then its own; one child has a session and a parent of its own. Its own comes last,
 * because the subshell that starts that child has ended then.
 */
const FAMILY = `sleep 1000 & echo $!
(setsid sh -c 'echo $$; exec sleep 1000' &)
echo $$
wait`;
/** Takes no notice of TERM, nor does what it starts. */
const STUBBORN = `trap '' TERM; echo $$; sh -c 'echo $$; while :; do sleep 1000; done' & echo $! >/dev/null; while :; do sleep 1000; done`;

/** What is left when a test fails. */
const endAtLast = (pid: number) =>
  onTestFinished(async () => {
    if (await isRunning(pid)) process.kill(pid);
  });

test("a program is listed with the whole of its tree while it runs", async () => {
  await using kernel = await startProbe();
  const { daemon, run } = kernel.ctx;
  expect(await daemon.processes()).toEqual([]);
  const cwd = await realpath(await temporaryFolder());
  const subject = { type: "agent", id: "agt_1" };
  const child = await run(SHELL, ["-c", FAMILY], { cwd, subject });
  const pids = await readPids(child.stdout, 3);
  expect(await daemon.processes()).toEqual([
    {
      pid: child.pid,
      plugin: "probe",
      program: "sh",
      cwd,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      subject,
      isHost: false,
      members: expect.toSatisfy(
        (members: DaemonProcess["members"]) =>
          members.length === 3 &&
          pids.every((pid) => members.some((member) => member.pid === pid)),
      ) as DaemonProcess["members"],
      cpuMs: expect.any(Number) as number,
      memoryBytes: expect.any(Number) as number,
    },
  ]);
  const [listed] = await daemon.processes();
  expect(listed!.memoryBytes).toBeGreaterThan(100_000);
  expect(await daemon.endProcess(listed!)).toBe(true);
  await allGone(pids);
  expect(await daemon.processes()).toEqual([]);
  await child.exited;
});

test("what a program has used of the processor grows", async () => {
  await using kernel = await startProbe();
  const { daemon, run } = kernel.ctx;
  const child = await run(SHELL, ["-c", "while :; do :; done"]);
  await vi.waitFor(async () => {
    const [listed] = await daemon.processes();
    expect(listed!.cpuMs).toBeGreaterThanOrEqual(50);
  });
  await child.kill();
});

test("only what a plugin runs is ended, and only if it began at that time", async () => {
  await using kernel = await startProbe();
  const { daemon, run } = kernel.ctx;
  const child = await run("/bin/sleep", ["1000"]);
  const startedAt = "2020-01-01T00:00:00.000Z";
  expect(await daemon.endProcess({ pid: child.pid, startedAt })).toBe(false);
  const { pid, startedAt: ownStart } = await daemon.self();
  expect(await daemon.endProcess({ pid, startedAt: ownStart })).toBe(false);
  expect(await isRunning(child.pid)).toBe(true);
  await child.kill();
});

test("the daemon says what it takes itself", async () => {
  await using kernel = await startProbe();
  const self = await kernel.ctx.daemon.self();
  expect(self).toMatchObject({
    pid: process.pid,
    plugin: "kernel",
    program: "gantry",
    startedAt: "2026-03-02T12:00:00.000Z",
    subject: null,
    members: [],
  });
  expect(self.cpuMs).toBeGreaterThan(0);
  expect(self.memoryBytes).toBeGreaterThan(1_000_000);
});

test("a program that outlives the daemon is listed by the next one, until it is ended", async () => {
  await using kernel = await startProbe();
  const { pid } = await kernel.ctx.run.detach("/bin/sleep", ["1000"]);
  endAtLast(pid);
  const [listed] = await kernel.ctx.daemon.processes();
  expect(listed).toMatchObject({ pid, plugin: "probe", program: "sleep" });
  await kernel.restart();
  const { daemon } = kernel.ctx;
  const [found] = await daemon.processes();
  expect(found).toMatchObject({ pid, startedAt: listed!.startedAt });
  expect(await daemon.endProcess(found!)).toBe(true);
  await allGone([pid]);
  expect(await daemon.processes()).toEqual([]);
});

test("a stopped plugin no longer sees anything", async () => {
  await using kernel = await startProbe();
  await kernel.kernel.plugins.stop("probe");
  expect(() => kernel.ctx.daemon.logLines()).toThrow(
    expect.objectContaining({ code: "PLUGIN_STOPPED" }),
  );
});

/** A view without a daemon round it, in a time of the test's. */
async function createView(clock = createSystemClock()) {
  const folder = await temporaryFolder();
  const stopping = new AbortController();
  const children = createChildren();
  const detached = openDetachedPrograms(join(folder, "detached"));
  const markers = createMarkers(folder);
  const environment = process.env;
  const run = createRun(
    { markers, children, detached, clock, environment },
    "probe",
    stopping.signal,
  );
  onTestFinished(() => children.killAll());
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const logRing = createLogRing();
  const startedAt = clock.timestamp();
  const view = createDaemonView({
    plugins: () => [],
    startedAt,
    children,
    detached,
    logRing,
    log,
    clock,
  });
  return { folder, view, run, children };
}

test("what takes no notice of TERM is killed after 5 s, with all that it started", async () => {
  const clock = createFakeClock();
  const { view, run } = await createView(clock);
  const child = await run(SHELL, ["-c", STUBBORN]);
  const pids = await readPids(child.stdout, 2);
  const [listed] = await view.processes();
  const ending = view.endProcess(listed!);
  await vi.waitFor(() => expect(clock.pending).toBe(1));
  await clock.advance(4_999);
  for (const pid of pids) expect(await isRunning(pid)).toBe(true);
  await clock.advance(1);
  expect(await ending).toBe(true);
  await allGone(pids);
});

test("a detached program that takes no notice of TERM is killed as well", async () => {
  const system = createSystemClock();
  const hurried = { ...system, monotonic: () => system.monotonic() * 100 };
  const { view, run, folder } = await createView(hurried);
  const script = `exec > ${join(folder, "out")}; ${STUBBORN}`;
  await run.detach(SHELL, ["-c", script]);
  const listed = await vi.waitFor(async () => {
    const [found] = await view.processes();
    // The shell, the one below it, and what they wait for.
    expect(found!.members).toHaveLength(4);
    return found!;
  });
  endAtLast(listed.pid);
  expect(await view.endProcess(listed)).toBe(true);
  expect(await isRunning(listed.pid)).toBe(false);
  expect(await view.processes()).toEqual([]);
});

test("a stranger that got the number of a detached program is not listed", async () => {
  const { view, run, folder } = await createView();
  const { pid } = await run.detach("/bin/sleep", ["1000"]);
  endAtLast(pid);
  const file = join(folder, "detached", `${pid}.json`);
  const known = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...known, startTime: "1" }));
  expect(await view.processes()).toEqual([]);
});

/** Jobs of a shell with job control: a pair, one that leaves the session of the shell, and two single ones. */
const JOBS = `set -m
sh -c 'sleep 1000 & echo $!; wait' &
setsid sh -c 'sleep 1000 & echo $!; wait' &
sleep 1000 & echo $!
sleep 1000
true`;

test("a process of a program is ended with what it started, and with its job if a shell has given it one", async () => {
  await using kernel = await startProbe();
  const { daemon, run } = kernel.ctx;
  // As a terminal does: a session of its own below the program.
  const child = await run(SHELL, ["-c", 'setsid bash -c "$0" & wait', JOBS], {
    isHost: true,
  });
  const pids = await readPids(child.stdout, 3);
  const program = await vi.waitFor(async () => {
    const [found] = await daemon.processes();
    expect(found!.members.map(({ name }) => name).sort()).toEqual([
      ...["bash", "sh", "sh", "sh"],
      ...["sleep", "sleep", "sleep", "sleep"],
    ]);
    return found!;
  });
  const find = (pid: number) =>
    program.members.find((member) => member.pid === pid)!;
  const end = (member: { pid: number; startTime: string }) =>
    daemon.endProcess({ ...program, member });
  expect(program).toMatchObject({ isHost: true, pid: child.pid });
  for (const pid of pids) {
    const { startTime, name } = find(pid);
    expect(name).toBe("sleep");
    expect(await end({ pid, startTime: `${startTime}0` })).toBe(false);
    expect(await end(find(pid))).toBe(true);
    expect(await end(find(pid))).toBe(false);
  }
  await allGone(pids);
  const [left] = await daemon.processes();
  expect(left!.members.map(({ name }) => name).sort()).toEqual([
    ...["bash", "sh", "sleep"],
  ]);
  await child.kill();
});

test("a host continues when its own process is to be ended as one of its processes", async () => {
  await using kernel = await startProbe();
  const { daemon, run } = kernel.ctx;
  const host = await run("/bin/sleep", ["1000"], { isHost: true });
  const other = await run("/bin/sleep", ["1000"]);
  for (const program of await daemon.processes()) {
    const [member] = program.members;
    expect(await daemon.endProcess({ ...program, member })).toBe(
      program.pid === other.pid,
    );
  }
  await other.exited;
  expect(await isRunning(host.pid)).toBe(true);
  await host.kill();
});
