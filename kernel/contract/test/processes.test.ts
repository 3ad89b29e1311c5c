import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  findMarkedProcesses,
  findSessionProcesses,
  killMarkedProcesses,
  killSessionProcesses,
  readProcessMoment,
  readProcessStat,
} from "../src/processes.ts";
import { startedBetween } from "../src/process-moment.ts";

const VARIABLE = "GANTRY_CONTRACT_TEST";

/** A process that is killed after the test. Resolves once its own program runs. */
async function start(
  environment: Record<string, string>,
  script = "echo; exec sleep 1000",
) {
  const child = spawn("/bin/sh", ["-c", script], { env: environment });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return { child, pid: child.pid ?? 0 };
}

test("what has the variable with this very value is found", async () => {
  const value = `one ${process.pid}`;
  const { pid } = await start({ [VARIABLE]: value });
  const long = await start({ FIRST: "x".repeat(100_000), [VARIABLE]: value });
  await start({ [VARIABLE]: `${value} more` });
  await start({ [`X${VARIABLE}`]: `not ${value}` });
  await start({});
  const found = await findMarkedProcesses(VARIABLE, value);
  expect(found.sort()).toEqual([pid, long.pid].sort());
});

/** Processes that become one program after the other. */
async function startChangelings(value: string) {
  const script = join(await temporaryFolder(), "changeling");
  await writeFile(script, `exec /bin/sh "$0"\n`);
  return await Promise.all(
    Array.from({ length: 20 }, () =>
      start({ [VARIABLE]: value }, `echo; exec /bin/sh ${script}`),
    ),
  );
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-contract-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("it is found, and killed, also while it becomes one program after the other", async () => {
  const value = `two ${process.pid}`;
  const all = await startChangelings(value);
  const pids = all.map(({ pid }) => pid).sort();
  for (let round = 0; round < 5; round++)
    expect((await findMarkedProcesses(VARIABLE, value)).sort()).toEqual(pids);
  const ended = Promise.all(all.map(({ child }) => once(child, "exit")));
  expect(await killMarkedProcesses(VARIABLE, value)).toBe(true);
  for (const end of await ended) expect(end).toEqual([null, "SIGKILL"]);
  expect(await killMarkedProcesses(VARIABLE, value)).toBe(false);
});

test("it is killed too where so much else runs that all time is over at each look", async () => {
  const value = `busy ${process.pid}`;
  const all = await startChangelings(value);
  const now = performance.now.bind(performance);
  let ahead = 0;
  vi.spyOn(performance, "now").mockImplementation(
    () => now() + (ahead += 10_000),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await killMarkedProcesses(VARIABLE, value)).toBe(true);
  const left = all.filter(
    ({ child }) => child.exitCode === null && child.signalCode === null,
  );
  const states = left.map(({ pid }) => readProcessStat(pid, [3]));
  for (const [state = "X"] of (await Promise.all(states)).map(
    (one) => one ?? [],
  ))
    expect(["X", "Z"]).toContain(state);
});

describe("what starts the next of its kind and ends, all the time", () => {
  /** Starts a session of such processes. */
  async function startRelay(value: string) {
    const folder = await temporaryFolder();
    const script = join(folder, "relay");
    await writeFile(script, `[ -e stop ] || /bin/sh "$0" &\n`);
    onTestFinished(() => writeFile(join(folder, "stop"), ""));
    const child = spawn("/bin/sh", [script], {
      cwd: folder,
      env: { [VARIABLE]: value },
      detached: true,
    });
    // Whichever runs has it open.
    const ended = once(child.stdout.resume(), "end");
    await once(child, "exit");
    return { leader: child.pid ?? 0, ended };
  }
  const rounds = Array.from({ length: 10 }, (_, round) => round);

  test.each(rounds)("is found and killed by its mark, %d", async (round) => {
    const value = `relay ${round} ${process.pid}`;
    const { ended } = await startRelay(value);
    expect(await findMarkedProcesses(VARIABLE, value)).not.toEqual([]);
    expect(await killMarkedProcesses(VARIABLE, value)).toBe(true);
    await ended;
  });

  test.each(rounds)("is found and killed by its session, %d", async () => {
    const { leader, ended } = await startRelay("of no interest");
    expect(await findSessionProcesses(leader)).not.toEqual([]);
    expect(await killSessionProcesses(leader)).toBe(true);
    await ended;
  });
});

test("what was started since a moment is killed, wherever it has gone, and nothing is looked for before", async () => {
  const value = `since ${process.pid}`;
  const before = await start({ [VARIABLE]: value });
  const since = readProcessMoment();
  const later = await Promise.all(
    Array.from({ length: 5 }, () => start({ [VARIABLE]: value })),
  );
  // In a session of its own, and a child of no process of the daemon.
  await start(
    { [VARIABLE]: value, PATH: process.env.PATH ?? "" },
    "setsid sh -c 'sleep 1000 & echo $!' & wait",
  );
  const ended = later.map(({ child }) => once(child, "exit"));
  expect(await killMarkedProcesses(VARIABLE, value, [], since)).toBe(true);
  for (const end of ended) expect(await end).toEqual([null, "SIGKILL"]);
  expect(await findMarkedProcesses(VARIABLE, value)).toEqual([before.pid]);
});

test("process ids that start over are told apart, and too many at once are not", () => {
  const at = (lastPid: number, forks: number) => ({
    lastPid,
    forks,
    maxPid: 32_768,
  });
  const plain = startedBetween(at(500, 1_000), at(510, 1_010));
  expect([500, 501, 510, 511].map((pid) => plain?.(pid))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  const wrapped = startedBetween(at(32_760, 1_000), at(310, 1_020));
  expect([32_760, 32_761, 310, 311].map((pid) => wrapped?.(pid))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(startedBetween(at(500, 1_000), at(510, 20_000))).toBeUndefined();
  expect(startedBetween(undefined, at(510, 1))).toBeUndefined();
});

test("it has ended when it was killed, however much memory it has to give back", async () => {
  const value = `three ${process.pid}`;
  const program =
    "const all = Buffer.alloc(5e8, 1); console.log(); setInterval(() => all, 1e6)";
  const { pid } = await start(
    { [VARIABLE]: value },
    `exec '${process.execPath}' -e '${program}'`,
  );
  expect(await killMarkedProcesses(VARIABLE, value)).toBe(true);
  expect(["Z", undefined]).toContain((await readProcessStat(pid, [3]))?.[0]);
});

test("what the system reports about a process is read past any name", async () => {
  const name = ") R 1 (";
  const { pid } = await start(
    {},
    `printf '${name}' > /proc/$$/comm; echo; read line`,
  );
  await expect
    .poll(() => readProcessStat(pid, [4, 3, 2]))
    .toEqual([String(process.pid), "S", name]);
  expect(await readProcessStat(2 ** 30, [4])).toBeUndefined();
});

test("a session has its leader and what the leader started, also once the leader has ended", async () => {
  const child = spawn("/bin/sh", ["-c", "sleep 1000 & echo $!; read line"], {
    detached: true,
  });
  const leader = child.pid ?? 0;
  onTestFinished(() => void process.kill(-leader, "SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const started = Number(line.toString());
  expect((await findSessionProcesses(leader)).sort()).toEqual(
    [leader, started].sort(),
  );
  const exited = once(child, "exit");
  child.stdin.end();
  await exited;
  expect(await findSessionProcesses(leader)).toEqual([started]);
  expect(await findSessionProcesses(2 ** 30)).toEqual([]);
});
