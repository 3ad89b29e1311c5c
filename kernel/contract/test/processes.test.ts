import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  findMarkedProcesses,
  killMarkedProcesses,
  readProcessStat,
} from "../src/processes.ts";

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

test("it is found, and killed, also while it becomes one program after the other", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-contract-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, "changeling");
  await writeFile(script, `exec /bin/sh "$0"\n`);
  const value = `two ${process.pid}`;
  const all = await Promise.all(
    Array.from({ length: 20 }, () =>
      start({ [VARIABLE]: value }, `echo; exec /bin/sh ${script}`),
    ),
  );
  const pids = all.map(({ pid }) => pid).sort();
  for (let round = 0; round < 5; round++)
    expect((await findMarkedProcesses(VARIABLE, value)).sort()).toEqual(pids);
  const ended = Promise.all(all.map(({ child }) => once(child, "exit")));
  expect(await killMarkedProcesses(VARIABLE, value)).toBe(true);
  for (const end of await ended) expect(end).toEqual([null, "SIGKILL"]);
  expect(await killMarkedProcesses(VARIABLE, value)).toBe(false);
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

test("what the system tells of a process is read past any name", async () => {
  const name = ") R 1 (";
  const { pid } = await start(
    {},
    `printf '${name}' > /proc/$$/comm; echo; read line`,
  );
  await expect
    .poll(() => readProcessStat(pid, [4, 3]))
    .toEqual([String(process.pid), "S"]);
  expect(await readProcessStat(2 ** 30, [4])).toBeUndefined();
});
