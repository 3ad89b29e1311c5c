import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const COMMAND = fileURLToPath(
  new URL("../bin/gantry-typecheck.mjs", import.meta.url),
);

test("types are checked in the folder at hand, and a fault is an exit code", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-typecheck-"));
  const check = () =>
    spawnSync(process.execPath, [COMMAND], { cwd: folder, encoding: "utf8" });
  try {
    await writeFile(join(folder, "tsconfig.json"), '{"files":["main.ts"]}');
    await writeFile(join(folder, "main.ts"), "export const a: number = 1;\n");
    expect(check()).toMatchObject({ status: 0, stdout: "" });
    await writeFile(join(folder, "main.ts"), "export const a: number = '';\n");
    const { status, stdout } = check();
    expect(status).not.toBe(0);
    expect(stdout).toContain("main.ts(1,14): error TS2322");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
