import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { measureDaemon } from "../src/measure-daemon.ts";
import type { MeasuredProgram } from "../src/program-view.ts";
import { openView } from "./support/open-view.ts";
import { allGone, isRunning, readPids, SHELL } from "./support/processes.ts";
import { temporaryFolder } from "@gantry/build/testing";

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
  const { view, run } = await openView();
  expect(await view.list()).toEqual([]);
  const cwd = await realpath(await temporaryFolder());
  const subject = { type: "agent", id: "agt_1" };
  const child = await run(SHELL, ["-c", FAMILY], { cwd, subject });
  const pids = await readPids(child.stdout, 3);
  expect(await view.list()).toEqual([
    {
      pid: child.pid,
      plugin: "probe",
      program: "sh",
      cwd,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      subject,
      isHost: false,
      members: expect.toSatisfy(
        (members: MeasuredProgram["members"]) =>
          members.length === 3 &&
          pids.every((pid) => members.some((member) => member.pid === pid)),
      ) as MeasuredProgram["members"],
      cpuMs: expect.any(Number) as number,
      memoryBytes: expect.any(Number) as number,
    },
  ]);
  const [listed] = await view.list();
  expect(listed!.memoryBytes).toBeGreaterThan(100_000);
  expect(await view.end(listed!)).toBe(true);
  await allGone(pids);
  expect(await view.list()).toEqual([]);
  await child.exited;
});

test("what a program has used of the processor grows", async () => {
  const { view, run } = await openView();
  const child = await run(SHELL, ["-c", "while :; do :; done"]);
  await vi.waitFor(async () => {
    const [listed] = await view.list();
    expect(listed!.cpuMs).toBeGreaterThanOrEqual(50);
  });
  await child.kill();
});

test("only what a plugin runs is ended, and only if it began at that time", async () => {
  const { daemon, view, run } = await openView();
  const child = await run("/bin/sleep", ["1000"]);
  const startedAt = "2020-01-01T00:00:00.000Z";
  expect(await view.end({ pid: child.pid, startedAt })).toBe(false);
  const { pid, startedAt: ownStart } = measureDaemon(daemon);
  expect(await view.end({ pid, startedAt: ownStart })).toBe(false);
  expect(await isRunning(child.pid)).toBe(true);
  await child.kill();
});

test("the daemon is measured as one of its programs", async () => {
  const { daemon } = await openView();
  const self = measureDaemon(daemon);
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

/**
 * A time of the test's own, in which 5 s of grace take a few turns. What was killed gets as many turns as in real time.
 *
 * @param isHeld While it returns true, the grace is not over.
 */
function createEndClock(isHeld: () => boolean = () => false) {
  let now = 0;
  return {
    monotonic: () => now,
    sleep: async () => {
      await new Promise(setImmediate);
      if (now >= 5_000) now += 25;
      else now = Math.min(now + 1_000, isHeld() ? 4_999 : 5_000);
    },
  };
}

test("what takes no notice of TERM is killed after 5 s, with all that it started", async () => {
  let looks = 0;
  let isHeld = true;
  const clock = createEndClock(() => {
    looks += 1;
    return isHeld;
  });
  const { view, run } = await openView(clock);
  const child = await run(SHELL, ["-c", STUBBORN]);
  const pids = await readPids(child.stdout, 2);
  const [listed] = await view.list();
  const ending = view.end(listed!);
  await vi.waitFor(() => expect(looks).toBeGreaterThan(10));
  for (const pid of pids) expect(await isRunning(pid)).toBe(true);
  isHeld = false;
  expect(await ending).toBe(true);
  for (const pid of pids) expect(await isRunning(pid)).toBe(false);
  expect(await view.list()).toEqual([]);
});

test("a detached program that takes no notice of TERM is killed as well", async () => {
  const { view, run } = await openView(createEndClock());
  const folder = await temporaryFolder();
  const script = `exec > ${join(folder, "out")}; ${STUBBORN}`;
  await run.detach(SHELL, ["-c", script]);
  const listed = await vi.waitFor(async () => {
    const [found] = await view.list();
    // The shell, the one below it, and what they wait for.
    expect(found!.members).toHaveLength(4);
    return found!;
  });
  endAtLast(listed.pid);
  expect(await view.end(listed)).toBe(true);
  expect(await isRunning(listed.pid)).toBe(false);
  expect(await view.list()).toEqual([]);
});

/** Jobs of a shell with job control: a pair, one that leaves the session of the shell, and two single ones. */
const JOBS = `set -m
sh -c 'sleep 1000 & echo $!; wait' &
setsid sh -c 'sleep 1000 & echo $!; wait' &
sleep 1000 & echo $!
sleep 1000
true`;

test("a process of a program is ended with what it started, and with its job if a shell has given it one", async () => {
  const { view, run } = await openView();
  // As a terminal does: a session of its own below the program.
  const child = await run(SHELL, ["-c", 'setsid bash -c "$0" & wait', JOBS], {
    isHost: true,
  });
  const pids = await readPids(child.stdout, 3);
  const program = await vi.waitFor(async () => {
    const [found] = await view.list();
    expect(found!.members.map(({ name }) => name).sort()).toEqual([
      ...["bash", "sh", "sh", "sh"],
      ...["sleep", "sleep", "sleep", "sleep"],
    ]);
    return found!;
  });
  const find = (pid: number) =>
    program.members.find((member) => member.pid === pid)!;
  const end = (member: { pid: number; startTime: string }) =>
    view.end({ ...program, member });
  expect(program).toMatchObject({ isHost: true, pid: child.pid });
  for (const pid of pids) {
    const { startTime, name } = find(pid);
    expect(name).toBe("sleep");
    expect(await end({ pid, startTime: `${startTime}0` })).toBe(false);
    expect(await end(find(pid))).toBe(true);
    expect(await end(find(pid))).toBe(false);
  }
  await allGone(pids);
  const [left] = await view.list();
  expect(left!.members.map(({ name }) => name).sort()).toEqual([
    ...["bash", "sh", "sleep"],
  ]);
  await child.kill();
});

test("a host continues when its own process is to be ended as one of its processes", async () => {
  const { view, run } = await openView();
  const host = await run("/bin/sleep", ["1000"], { isHost: true });
  const other = await run("/bin/sleep", ["1000"]);
  for (const program of await view.list()) {
    const [member] = program.members;
    expect(await view.end({ ...program, member })).toBe(
      program.pid === other.pid,
    );
  }
  await other.exited;
  expect(await isRunning(host.pid)).toBe(true);
  await host.kill();
});
