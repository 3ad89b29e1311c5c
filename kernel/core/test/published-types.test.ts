import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));

// The compiler runs for some seconds.
test(
  "the types that are published import no package that is not",
  { tags: "thorough" },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "gantry-types-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await promisify(execFile)(
      join(PACKAGE, "node_modules/.bin/tsup"),
      ["--dts-only", "--dts", "src/index.ts", "--out-dir", folder],
      { cwd: PACKAGE },
    );
    const types = await readFile(join(folder, "index.d.ts"), "utf8");
    const imported = [...types.matchAll(/from ['"](@gantry\/[^'"]+)['"]/g)];
    expect(new Set(imported.map(([, name]) => name))).toEqual(
      new Set(["@gantry/plugin"]),
    );
  },
);
