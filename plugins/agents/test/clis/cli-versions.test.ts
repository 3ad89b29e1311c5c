import { fileURLToPath } from "node:url";
import type { ProcessResult } from "@gantry/plugin";
import { createFakeClock } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import type { CliProcesses } from "../../src/clis/cli-processes.ts";
import { CliVersions } from "../../src/clis/cli-versions.ts";

const CLI = { cli: "pi", trustPaths: [] };
const FILE = fileURLToPath(import.meta.url);

/** Answers that a CLI gives to the question for its version, one after the other. */
function createVersions(answers: Partial<ProcessResult>[]) {
  let asked = 0;
  const folder = {
    collect: async () => ({ stdout: "", stderr: "", ...answers[asked++] }),
  };
  const processes = { checkOwn: async () => folder } as unknown as CliProcesses;
  const clock = createFakeClock();
  const versions = new CliVersions(processes, clock);
  const ask = () => versions.of(CLI, FILE, ["--version"], {});
  return { ask, clock, asked: () => asked };
}

test("a version is asked for once", async () => {
  const { ask, asked } = createVersions([{ stdout: "pi 0.74.2\n" }]);
  expect(await Promise.all([ask(), ask()])).toEqual(["0.74.2", "0.74.2"]);
  expect(await ask()).toBe("0.74.2");
  expect(asked()).toBe(1);
});

test("one that took too long to say is asked for again, after a while", async () => {
  const { ask, asked, clock } = createVersions([
    { timedOut: true },
    { stdout: "0.74.2" },
  ]);
  expect(await ask()).toBeNull();
  // Not at once: each time may take as long.
  expect(await ask()).toBeNull();
  expect(asked()).toBe(1);
  await clock.advance(60_000);
  expect(await ask()).toBe("0.74.2");
  expect(await ask()).toBe("0.74.2");
  expect(asked()).toBe(2);
});

test("a CLI that says nothing of a version is not asked again", async () => {
  const { ask, asked, clock } = createVersions([{ stdout: "Hello!" }]);
  expect(await ask()).toBeNull();
  await clock.advance(60_000);
  expect(await ask()).toBeNull();
  expect(asked()).toBe(1);
});
