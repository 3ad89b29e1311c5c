import { readFileSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homePaths } from "@gantry/system/home/home";
import { openCrashGuard } from "../../src/plugins/crash-guard.ts";
import { startProbe } from "../support/probe.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** A daemon that dies while a plugin's code runs. */
function dieIn(file: string, plugin: string): void {
  openCrashGuard(file).running(plugin);
}

async function start() {
  return join(await temporaryFolder(), "cache", "starting.json");
}

test("a plugin in whose start the daemon died twice in a row is passed over, and no other", async () => {
  const file = await start();
  dieIn(file, "deadly");
  expect(openCrashGuard(file).verdict("deadly")).toBeUndefined();
  dieIn(file, "deadly");
  const guard = openCrashGuard(file);
  expect(guard.verdict("deadly")).toMatch(
    /ended the daemon 2 times.*gantry plugins enable deadly/,
  );
  expect(guard.verdict("fine")).toBeUndefined();
});

test("a plugin may be called as a member of every object is", async () => {
  const file = await start();
  const id = "constructor";
  for (let death = 0; death < 2; death++) {
    expect(openCrashGuard(file).verdict(id)).toBeUndefined();
    dieIn(file, id);
  }
  expect(openCrashGuard(file).verdict(id)).toContain("2 times");
});

test("a start that went well forgets one death, but not a verdict", async () => {
  const file = await start();
  dieIn(file, "unlucky");
  dieIn(file, "deadly");
  dieIn(file, "deadly");
  openCrashGuard(file).settled();
  dieIn(file, "unlucky");
  const guard = openCrashGuard(file);
  expect(guard.verdict("unlucky")).toBeUndefined();
  expect(guard.verdict("deadly")).toBeDefined();
  guard.forgive("deadly");
  expect(openCrashGuard(file).verdict("deadly")).toBeUndefined();
});

test("a plugin that starts again in the same daemon is not to blame if that is killed meanwhile", async () => {
  const blamed: unknown[] = [];
  await using kernel = await startProbe({
    setup({ wholeHome }) {
      const file = homePaths(wholeHome.folder).starting;
      const text = readFileSync(file, "utf8");
      blamed.push((JSON.parse(text) as { current: unknown }).current);
    },
  });
  const { plugins } = kernel.kernel;
  await plugins.pause(["probe"], () => Promise.resolve(true));
  expect(blamed).toEqual(["probe", null]);
});

test("a death between two starts is blamed on no plugin", async () => {
  const file = await start();
  for (let death = 0; death < 3; death++) {
    const guard = openCrashGuard(file);
    guard.running("fine");
    guard.running(null);
  }
  expect(openCrashGuard(file).verdict("fine")).toBeUndefined();
});

test("a death that is blamed on a plugin counts once", async () => {
  const file = await start();
  const guard = openCrashGuard(file);
  guard.running("deadly");
  guard.blame("deadly");
  expect(openCrashGuard(file).verdict("deadly")).toBeUndefined();
  dieIn(file, "deadly");
  expect(openCrashGuard(file).verdict("deadly")).toBeDefined();
});

test.each(["", "{", "[]", '{"current":5,"counts":7}', "null"])(
  "a file that is damaged (%s) is as none, and is repaired",
  async (content) => {
    const file = await start();
    openCrashGuard(file);
    await writeFile(file, content);
    expect(openCrashGuard(file).verdict("fine")).toBeUndefined();
    dieIn(file, "deadly");
    dieIn(file, "deadly");
    expect(openCrashGuard(file).verdict("deadly")).toBeDefined();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  },
);
