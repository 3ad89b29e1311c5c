import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  allGone,
  createTestRun,
  isRunning,
  readPids,
  SHELL,
} from "../support/processes.ts";
import { createDeadline } from "@gantry/system/shutdown/deadline";
import { temporaryFolder } from "@gantry/build/testing";

describe("a program that runs to its end", () => {
  test("gives its output, its code, and takes its input", async () => {
    const { run } = await createTestRun();
    expect(
      await run.collect(SHELL, ["-c", "cat; echo no >&2; exit 3"], {
        input: "yes",
      }),
    ).toEqual({
      stdout: "yes",
      stderr: "no\n",
      code: 3,
      signal: null,
      timedOut: false,
      truncated: false,
    });
  });

  test("gets its arguments as they are; no shell reads them", async () => {
    const { run } = await createTestRun();
    const odd = ["$(id)", "a b", "'", '"', "*", "-n", "\n", ""];
    const { stdout } = await run.collect(process.execPath, [
      "-e",
      "console.log(JSON.stringify(process.argv.slice(1)))",
      "--",
      ...odd,
    ]);
    expect(JSON.parse(stdout)).toEqual(odd);
  });

  test("runs in its folder", async () => {
    const { run } = await createTestRun();
    const cwd = await temporaryFolder();
    expect(await run.collect("/bin/pwd", [], { cwd })).toMatchObject({
      stdout: `${cwd}\n`,
    });
  });

  test.each(["stdout", "stderr"] as const)(
    "is cut at the cap of its %s and never hangs on it",
    async (name) => {
      const { run } = await createTestRun();
      const redirect = name === "stderr" ? ">&2" : "";
      const line = `head -c 3000000 /dev/zero | tr '\\0' x ${redirect}; echo end ${redirect}`;
      const result = await run.collect(SHELL, ["-c", line], {
        maxOutputBytes: 1000,
      });
      expect(result).toMatchObject({ code: 0, truncated: true });
      expect(result[name]).toBe("x".repeat(1000));
      expect((await run.collect(SHELL, ["-c", line]))[name]).toHaveLength(
        256 * 1024,
      );
    },
  );

  test("is over when it ends, also if something that got away holds its output open", async () => {
    const { run } = await createTestRun();
    const cwd = await temporaryFolder();
    // Without our variable and in a session of its own nothing tells that it is ours.
    const script = `mkfifo ready; env -i setsid sh -c 'echo $$ > ready; exec sleep 1000' & read pid < ready; echo $pid`;
    const { stdout } = await run.collect(SHELL, ["-c", script], { cwd });
    const escaped = Number(stdout);
    expect(await isRunning(escaped)).toBe(true);
    process.kill(escaped, "SIGKILL");
  });
});

describe("the environment of a child", () => {
  const environment = {
    PATH: process.env.PATH,
    HOME: "/home/somebody",
    NODE_OPTIONS: "--require=/evil.js",
    NODE_PATH: "/evil",
    LD_PRELOAD: "/evil.so",
    BASH_ENV: "/evil.sh",
    ENV: "/evil.sh",
    GANTRY_HOME: "/secret",
    GANTRY_ANYTHING: "x",
    npm_config_registry: "http://evil.example",
    npm_lifecycle_event: "start",
  };
  const read = async (env?: Record<string, string | undefined>) => {
    const { run } = await createTestRun(environment);
    const { stdout } = await run.collect("/usr/bin/env", ["-0"], { env });
    return Object.fromEntries(
      stdout
        .split("\0")
        .filter(Boolean)
        .map((pair) => pair.split(/=(.*)/s)),
    );
  };

  test("has nothing that would make it run other code, and nothing of ours but its mark", async () => {
    const { GANTRY_PROCESS_TREE: mark, ...rest } = await read();
    expect(rest).toEqual({
      PATH: process.env.PATH,
      HOME: "/home/somebody",
      SHLVL: "1",
    });
    expect(mark).toMatch(/^[0-9a-f]{24}$/);
  });

  test("has what the plugin adds, and not what it takes away", async () => {
    const { GANTRY_PROCESS_TREE: mark, ...rest } = await read({
      HOME: undefined,
      EXTRA: "1",
      GANTRY_PROCESS_TREE: "forged",
    });
    expect(rest).toEqual({ PATH: process.env.PATH, EXTRA: "1", SHLVL: "1" });
    expect(mark).not.toBe("forged");
  });

  test.each([undefined, "0", "1", "7"])(
    "makes no shell read the user's start files, from a daemon at shell level %s",
    async (level) => {
      const home = await temporaryFolder();
      for (const name of [".bashrc", ".profile", ".bash_profile"])
        await writeFile(join(home, name), `echo read ${name}\n`);
      const { run } = await createTestRun({
        PATH: process.env.PATH,
        HOME: home,
        ...(level === undefined ? {} : { SHLVL: level }),
      });
      const bash = (await run.find("bash")) ?? SHELL;
      expect(await run.collect(bash, ["-c", "echo ran"])).toMatchObject({
        stdout: "ran\n",
      });
      expect((await run.collect("/usr/bin/env", [])).stdout).toContain(
        `SHLVL=${Math.max(1, Number(level ?? 0))}\n`,
      );
    },
  );
});

describe("a program that cannot be started", () => {
  test.each([
    "/nowhere/program",
    "/etc/passwd",
    "/tmp",
    "program",
    "sh",
    "./sh",
  ])("is reported: %s", async (file) => {
    const { run, folder } = await createTestRun();
    await expect(run(file, [])).rejects.toMatchObject({
      code: "PROCESS_NOT_STARTED",
      status: 502,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test("for want of its folder is reported", async () => {
    const { run, folder } = await createTestRun();
    const start = run(SHELL, ["-c", "true"], { cwd: "/nowhere" });
    await expect(start).rejects.toMatchObject({ code: "PROCESS_NOT_STARTED" });
    expect(await readdir(folder)).toEqual([]);
  });

  test("after the plugin began to stop leaves nothing", async () => {
    const { run, stop, folder } = await createTestRun();
    const started = run("/bin/sleep", ["1000"]);
    stop();
    await expect(started).rejects.toThrow();
    await vi.waitFor(async () => expect(await readdir(folder)).toEqual([]));
    await expect(run("/bin/sleep", ["1000"])).rejects.toThrow();
  });
});

/** Children of every kind: in the group, in a session of its own, and twice removed. Each prints its number. */
const FAMILY = `
  sleep 1000 & echo $!
  setsid sh -c 'echo $$; exec sleep 1000' &
  setsid sh -c '(setsid sh -c "echo \\$\\$; exec sleep 1000" &) ; exit 0' &
`;

describe("the tree of a child", () => {
  test("is a process group of its own", async () => {
    const { run } = await createTestRun();
    const child = await run(SHELL, [
      "-c",
      "echo $$; ps -o pgid= -p $$; exec sleep 1000",
    ]);
    const [pid, group] = await readPids(child.stdout, 2);
    expect(pid).toBe(child.pid);
    expect(group).toBe(child.pid);
    await child.kill();
  });

  test.each([
    ["it ends by itself", "read line", "end"],
    ["it is killed", "exec sleep 1000", "kill"],
    ["it is asked to end and does", "cat > /dev/null", "end"],
  ] as const)("is gone when %s", async (_, last, how) => {
    const { run, folder } = await createTestRun();
    const child = await run(SHELL, ["-c", `${FAMILY}${last}`]);
    const pids = await readPids(child.stdout, 3);
    expect(await Promise.all(pids.map(isRunning))).toEqual([true, true, true]);
    await child[how]();
    await allGone([...pids, child.pid]);
    expect(await readdir(folder)).toEqual([]);
  });

  test(
    "is gone also while it becomes one program after the other",
    { tags: "alone" },
    async () => {
      const { run, folder } = await createTestRun();
      const script = join(await temporaryFolder(), "changeling");
      await writeFile(script, `exec ${SHELL} "$0"\n`);
      const start = `setsid ${SHELL} -c 'echo $$; exec ${SHELL} "${script}"' &`;
      const child = await run(SHELL, [
        "-c",
        `${`${start}\n`.repeat(40)}read line`,
      ]);
      const pids = await readPids(child.stdout, 40);
      child.stdin.end();
      await child.exited;
      const left = await Promise.all(pids.map(isRunning));
      for (const [at, pid] of pids.entries())
        if (left[at]) process.kill(pid, "SIGKILL");
      expect(left).not.toContain(true);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  test("is gone when its time is over", async () => {
    const { run, clock } = await createTestRun();
    const child = await run(SHELL, ["-c", `${FAMILY} exec sleep 1000`], {
      timeoutMs: 60_000,
    });
    const pids = await readPids(child.stdout, 3);
    await clock.advance(59_999);
    expect(await isRunning(child.pid)).toBe(true);
    await clock.advance(1);
    expect(await child.exited).toEqual({
      code: null,
      signal: "SIGKILL",
      timedOut: true,
    });
    await allGone(pids);
  });

  test("is gone when its caller aborts, before or after the start", async () => {
    const { run } = await createTestRun();
    const abort = new AbortController();
    const child = await run(SHELL, ["-c", `${FAMILY} exec sleep 1000`], {
      signal: abort.signal,
    });
    const pids = await readPids(child.stdout, 3);
    abort.abort();
    expect(await child.exited).toMatchObject({
      signal: "SIGKILL",
      timedOut: false,
    });
    await allGone(pids);
    const late = await run("/bin/sleep", ["1000"], { signal: abort.signal });
    expect(await late.exited).toMatchObject({ signal: "SIGKILL" });
  });

  test("is gone when the plugin ends, all of it at once", async () => {
    const { run, clock } = await createTestRun();
    const children = await Promise.all(
      [1, 2, 3].map(() =>
        run(SHELL, ["-c", "trap '' TERM; echo $$; sleep 1000"]),
      ),
    );
    await Promise.all(children.map((child) => readPids(child.stdout, 1)));
    const ending = run.endAll(createDeadline(30_000));
    await clock.advance(3_000);
    await clock.advance(2_000);
    await ending;
    await allGone(children.map(({ pid }) => pid));
  });
});

describe("asking a program to end", () => {
  async function startWith(script: string) {
    const { run, clock } = await createTestRun();
    const child = await run(SHELL, ["-c", script]);
    await readPids(child.stdout, 1);
    return { child, clock };
  }

  test("closes its input first, which is enough for most", async () => {
    const { child } = await startWith("echo 1; cat > /dev/null; exit 7");
    expect(await child.end()).toEqual({
      code: 7,
      signal: null,
      timedOut: false,
    });
  });

  test("sends TERM to the group after 3 s", async () => {
    const { child, clock } = await startWith(
      "trap 'exit 8' TERM; echo 1; while :; do sleep 0.01; done",
    );
    const ended = child.end();
    await clock.advance(2_999);
    expect(await isRunning(child.pid)).toBe(true);
    await clock.advance(1);
    expect(await ended).toMatchObject({ code: 8 });
  });

  test("kills after 2 s more, and asking twice is asking once", async () => {
    const { child, clock } = await startWith(
      "trap '' TERM; echo 1; while :; do sleep 0.01; done",
    );
    const ended = child.end();
    expect(child.end()).toBe(ended);
    await clock.advance(3_000);
    await clock.advance(1_999);
    expect(await isRunning(child.pid)).toBe(true);
    await clock.advance(1);
    expect(await ended).toMatchObject({ signal: "SIGKILL", timedOut: false });
    expect(await child.end()).toEqual(await child.kill());
  });

  test("a program that has closed its input is no fault", async () => {
    const { child } = await startWith("exec 0<&-; echo 1; exec sleep 1000");
    child.stdin.write("x".repeat(1_000_000));
    await child.kill();
    child.stdin.write("more");
  });
});

describe("finding a program", () => {
  test("goes along PATH and skips what any user could have put there", async () => {
    const folder = await temporaryFolder();
    const { run } = await createTestRun({
      PATH: `relative:.::${folder}/shared:${folder}/plain:/bin:${folder}`,
    });
    const { mkdir } = await import("node:fs/promises");
    for (const [name, mode] of [
      ["shared", 0o777],
      ["plain", 0o755],
    ] as const) {
      await mkdir(join(folder, name));
      for (const program of ["tool", "ls"])
        await writeFile(join(folder, name, program), "", { mode: 0o755 });
      await chmod(join(folder, name), mode);
    }
    await writeFile(join(folder, "plain", "data"), "", { mode: 0o644 });
    await mkdir(join(folder, "plain", "folder"), { mode: 0o755 });
    expect(await run.find("tool")).toBe(join(folder, "plain", "tool"));
    for (const name of [
      "data",
      "folder",
      "missing",
      "../plain/tool",
      "/bin/sh",
      "a\0b",
      "",
      ".",
      "..",
    ])
      expect(await run.find(name), name).toBeUndefined();
    expect((await stat(join(folder, "shared"))).mode & 0o777).toBe(0o777);
  });
});

test("a detached program outlives the process that started it, with a clean environment and no mark", async () => {
  const { run, folder, markers, stop } = await createTestRun({
    PATH: process.env.PATH,
    GANTRY_SECRET: "x",
    KEPT: "yes",
  });
  const place = await temporaryFolder();
  const { pid } = await run.detach(
    SHELL,
    ["-c", "env > all.tmp; mv all.tmp all; exec sleep 1000"],
    { cwd: place, env: { ADDED: "1" } },
  );
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  const environment = await vi.waitFor(() =>
    readFile(join(place, "all"), "utf8"),
  );
  expect(environment).toContain("KEPT=yes");
  expect(environment).toContain("ADDED=1");
  expect(environment).not.toContain("GANTRY_");
  expect(await readdir(folder)).toEqual([]);
  stop();
  await run.endAll(createDeadline(30_000));
  await markers.endLeftovers();
  expect(await isRunning(pid)).toBe(true);
});
