import { readdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import {
  allGone,
  createTestRun,
  readPids,
  SHELL,
} from "../support/processes.ts";

const isRoot = process.geteuid?.() === 0;
const OTHER_USER = "nobody";
const WHO = 'id -un; id -G; env | cut -d= -f1 | sort | tr "\\n" " "';

describe.runIf(isRoot)("a program of another user", () => {
  test("has that user's ids and home, no further groups, and none of the daemon's variables", async () => {
    const { run } = await createTestRun({
      PATH: process.env.PATH,
      LANG: "C.UTF-8",
      HOME: "/root",
      API_KEY: "secret",
      SSH_AUTH_SOCK: "/run/agent",
      XDG_RUNTIME_DIR: "/run/user/0",
    });
    const { stdout } = await run.collect(SHELL, ["-c", WHO], {
      user: OTHER_USER,
      cwd: "/",
      env: { ADDED: "1" },
    });
    const [name, groups, variables] = stdout.split("\n");
    expect(name).toBe(OTHER_USER);
    expect(groups).toMatch(/^\d+$/);
    expect(groups).not.toBe("0");
    expect(variables).toMatch(/ADDED .*HOME LANG LOGNAME PATH/);
    expect(variables).not.toMatch(/API_KEY|SSH_AUTH_SOCK|XDG_/);
  });

  test("ends with its whole tree, also what is in another session", async () => {
    const { run, folder } = await createTestRun();
    const child = await run(
      SHELL,
      ["-c", "setsid sh -c 'echo $$; exec sleep 1000' & exec sleep 1000"],
      { user: OTHER_USER, cwd: "/" },
    );
    const pids = await readPids(child.stdout, 1);
    await child.kill();
    await allGone([...pids, child.pid]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("is ended by the next daemon after a crash", async () => {
    const { run, markers } = await createTestRun();
    const child = await run(
      SHELL,
      ["-c", "setsid sh -c 'echo $$; exec sleep 1000' & exec sleep 1000"],
      { user: OTHER_USER, cwd: "/" },
    );
    const pids = await readPids(child.stdout, 1);
    await markers.endLeftovers();
    await allGone([...pids, child.pid]);
  });

  test("has its pipes", async () => {
    const { run } = await createTestRun();
    const child = await run(SHELL, ["-c", "cat <&3 >/dev/null; exit 7"], {
      user: OTHER_USER,
      cwd: "/",
      pipes: 1,
    });
    expect(await child.end()).toMatchObject({ code: 7 });
  });
});

test("a user that the system does not know is refused by name", async () => {
  const { run, folder } = await createTestRun();
  for (const user of ["no-such-user", "", "root:x", "0"])
    await expect(run("/bin/true", [], { user }), user).rejects.toMatchObject({
      code: "PROCESS_NOT_STARTED",
      message: expect.stringContaining(`there is no user "${user}"`) as string,
    });
  expect(await readdir(folder)).toEqual([]);
});

test("the daemon's own user changes nothing", async () => {
  const { run } = await createTestRun({ PATH: process.env.PATH, KEPT: "1" });
  const { stdout } = await run.collect("/usr/bin/env", [], {
    user: userInfo().username,
  });
  expect(stdout).toContain("KEPT=1");
});

test.skipIf(isRoot)("only root starts programs of others", async () => {
  const { run } = await createTestRun();
  await expect(
    run("/bin/true", [], { user: OTHER_USER }),
  ).rejects.toMatchObject({
    code: "PROCESS_NOT_STARTED",
    message: expect.stringContaining("only root") as string,
  });
});
