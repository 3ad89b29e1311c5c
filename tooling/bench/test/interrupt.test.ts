import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cases } from "@gantry/build/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const MAIN = [
  "--conditions=gantry-source",
  fileURLToPath(new URL("../src/main.ts", import.meta.url)),
];

let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "gantry-bench-test-"));
});
afterEach(() => rm(temporary, { recursive: true, force: true }));

/** Processes whose arguments name a folder of the test, which those of the command all do. */
async function listStarted(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const args = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (args.includes(temporary)) found.push(pid);
  }
  return found;
}

test
  .skipIf(process.platform !== "linux")
  .each(cases(["SIGINT", "SIGTERM"] as const))(
  "%s ends everything that was started, and no folder is left",
  async (name) => {
    const args = [
      ...MAIN,
      "--only",
      "store",
      "--rounds",
      "50",
      "--seconds",
      "60",
    ];
    const command = spawn(process.execPath, args, {
      stdio: "ignore",
      env: { ...process.env, TMPDIR: temporary },
      // Only the command itself is told, as when something else than a terminal ends it.
      detached: true,
    });
    const exited = once(command, "exit");
    await vi.waitFor(
      async () => expect(await listStarted()).not.toHaveLength(0),
      { interval: 50 },
    );
    command.kill(name);
    expect(await exited).toEqual([130, null]);
    expect(await listStarted()).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
  },
);

test("arguments that are wrong are answered with the usage", async () => {
  const command = spawn(process.execPath, [...MAIN, "--only", "nothing"]);
  let output = "";
  command.stderr.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = (await once(command, "close")) as [number];
  expect(code).toBe(2);
  expect(output).toContain("Usage: npm run bench");
});
