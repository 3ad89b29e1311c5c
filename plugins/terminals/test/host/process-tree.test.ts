import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { endTree, TERMINAL_VARIABLE } from "../../src/host/process-tree.ts";

test("a first process that has no session of its own yet, nor the mark, is ended too", async () => {
  // As it is between its fork and what makes it the leader of a session.
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  const ended = once(child, "exit");
  await endTree("trm_of_nobody", child.pid);
  expect(child.exitCode ?? child.signalCode).not.toBeNull();
  child.kill("SIGKILL");
  await ended;
});

test.each(
  cases([
    ["that has the mark", { [TERMINAL_VARIABLE]: "trm_of_a_relay" }],
    ["of the session", {}],
  ]),
)(
  "what starts the next of its kind and ends, %s, is ended too",
  async (_, env) => {
    const folder = await mkdtemp(join(tmpdir(), "gantry-relay-"));
    const script = join(folder, "relay");
    await writeFile(script, `trap "" HUP TERM\n[ -e stop ] || sh "$0" &\n`);
    onTestFinished(async () => {
      await writeFile(join(folder, "stop"), "");
      await rm(folder, { recursive: true, force: true });
    });
    const child = spawn("/bin/sh", [script], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...env },
      detached: true,
    });
    // Whichever runs has it open.
    const ended = once(child.stdout.resume(), "end");
    await once(child, "exit");
    await endTree("trm_of_a_relay", child.pid);
    await ended;
  },
);

test("what may not be ended is not waited for", async () => {
  const child = spawn("sleep", ["1000"], {
    env: { ...process.env, [TERMINAL_VARIABLE]: "trm_of_another" },
    stdio: "ignore",
  });
  await once(child, "spawn");
  const kill = vi.spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error("Not permitted."), { code: "EPERM" });
  });
  await endTree("trm_of_another", undefined);
  expect(kill).toHaveBeenCalledTimes(3);
  kill.mockRestore();
  expect(child.exitCode ?? child.signalCode).toBeNull();
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
});
