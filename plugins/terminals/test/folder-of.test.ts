import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { folderOf } from "../src/host/folder-of.ts";

const FIRST = "/where/it/is/to/start";

/** Starts a program in a folder, and gives its number once it runs. */
async function start(file: string, args: string[], cwd: string) {
  const child = spawn(file, args, { cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid ?? 0;
}

test("a program is where it went, also where this one is", async () => {
  const line = ["-c", "echo; read line"];
  const here = process.cwd();
  expect(await folderOf(await start("/bin/sh", line, "/"), FIRST)).toBe("/");
  expect(await folderOf(await start("/bin/sh", line, here), FIRST)).toBe(here);
});

test("what is still as this one is has not started, and will be where it was sent", async () => {
  const wait = ["-e", "console.log(); process.stdin.resume()"];
  const here = process.cwd();
  expect(await folderOf(await start(process.execPath, wait, here), FIRST)).toBe(
    FIRST,
  );
  expect(await folderOf(await start(process.execPath, wait, "/"), FIRST)).toBe(
    "/",
  );
});

test("a process that is gone was where it was sent", async () => {
  expect(await folderOf(2 ** 30, FIRST)).toBe(FIRST);
});
