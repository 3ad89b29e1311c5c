import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const COMMAND = fileURLToPath(new URL("../../bin/gantry.mjs", import.meta.url));

/** A Node of this machine that is too old for the daemon. */
function findOldNode(): string | undefined {
  return ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
    if (!existsSync(path)) return false;
    const version = execFileSync(path, ["--version"], { encoding: "utf8" });
    return Number(/^v(\d+)/.exec(version)?.[1]) < 22;
  });
}

const oldNode = findOldNode();

test.skipIf(oldNode === undefined)("an old Node gets one clear line", () => {
  const { status, stdout, stderr } = spawnSync(oldNode!, [COMMAND, "serve"], {
    encoding: "utf8",
  });
  expect(stderr).toMatch(/^Gantry needs Node 22\.19 or newer; .*\n$/);
  expect(stdout).toBe("");
  expect(status).toBe(1);
});
