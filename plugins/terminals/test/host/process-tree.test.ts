import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { endTree } from "../../src/host/process-tree.ts";

test("a first process that has no session of its own yet, nor the mark, is ended too", async () => {
  // As it is between its fork and what makes it the leader of a session.
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  const ended = once(child, "exit");
  await endTree("trm_of_nobody", child.pid);
  expect(child.exitCode ?? child.signalCode).not.toBeNull();
  child.kill("SIGKILL");
  await ended;
});
