import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { mutants } from "../src/mutants.ts";
import { readSource } from "../src/source-tree.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

test("an interrupted run leaves nothing behind and has changed nothing", async () => {
  const sources = () => Promise.all(mutants.map(readSource));
  const before = await sources();
  const folder = await mkdtemp(join(tmpdir(), "gantry-interrupted-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [MAIN, "Redaction"], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(createInterface(child.stdout), "line");
  expect(await readdir(folder)).toHaveLength(1);
  child.kill("SIGINT");
  const [code] = (await once(child, "exit")) as [number | null];
  expect(code).toBe(130);
  expect(await readdir(folder)).toEqual([]);
  expect(await sources()).toEqual(before);
});
