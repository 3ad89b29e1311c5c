import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPool } from "../support/start-pool.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-fake-browser-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Creates an executable that stands in for a browser. */
async function program(script: string): Promise<string> {
  const file = join(folder, `browser-${Math.random().toString(36).slice(2)}`);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

async function failureOf(command: string): Promise<unknown> {
  await using world = await startPool({ browser: { command, sandbox: "off" } });
  return await world.pool.open({ kind: "user" }).then(
    () => "started",
    (error: unknown) => error,
  );
}

test("a missing browser is reported with the setting that names it", async () => {
  expect(await failureOf("/nowhere/chromium")).toMatchObject({
    code: "BROWSER_MISSING",
    message: expect.stringContaining("settings.browser.command") as string,
  });
});

test("a browser that exits during its start is reported with its error output", async () => {
  expect(
    await failureOf(await program("echo 'cannot open display' >&2; exit 1")),
  ).toMatchObject({
    code: "BROWSER_FAILED",
    message: expect.stringContaining("cannot open display") as string,
  });
});

test("a missing sandbox is reported with what to do", async () => {
  const command = await program(
    "echo '[1:1:FATAL:zygote] No usable sandbox! Update your kernel' >&2; exit 1",
  );
  expect(await failureOf(command)).toMatchObject({
    code: "BROWSER_SANDBOX",
    message: expect.stringContaining("settings.browser.sandbox") as string,
  });
});
