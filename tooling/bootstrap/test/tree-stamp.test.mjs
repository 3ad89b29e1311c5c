import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTreeStamp } from "../tree-stamp.mjs";
import { createFolder, write } from "./folder.mjs";

function createTree() {
  const folder = createFolder({
    "kernel/core/src/main.ts": "main",
    "kernel/core/test/main.test.ts": "test",
    "kernel/node_modules/left-pad/index.js": "pad",
    "turbo.json": "{}",
  });
  const stamp = createTreeStamp(join(folder, "node_modules/.stamp"), [
    join(folder, "kernel"),
    join(folder, "turbo.json"),
    join(folder, "missing.json"),
  ]);
  const build = () =>
    stamp.build(() => write(folder, "kernel/dist/main.mjs", "built"));
  return { folder, stamp, build };
}

it("is fresh after a build, and only then", async () => {
  const { stamp, build } = createTree();
  expect(stamp.isFresh()).toBe(false);
  await build();
  expect(stamp.isFresh()).toBe(true);
});

it.each([
  [
    "a source is edited",
    (folder) => write(folder, "kernel/core/src/main.ts", "mainly"),
  ],
  [
    "a source is written again with the same length",
    (folder) => write(folder, "kernel/core/src/main.ts", "niam"),
  ],
  [
    "a source is added",
    (folder) => write(folder, "kernel/core/src/other.ts", ""),
  ],
  [
    "a source is removed",
    (folder) => rmSync(join(folder, "kernel/core/src/main.ts")),
  ],
  [
    "a file of the root changes",
    (folder) => write(folder, "turbo.json", "{ }"),
  ],
  [
    "an output is removed",
    (folder) => rmSync(join(folder, "kernel/dist"), { recursive: true }),
  ],
  [
    "an output is changed",
    (folder) => write(folder, "kernel/dist/main.mjs", "other"),
  ],
])("is not fresh once %s", async (_what, change) => {
  const { folder, stamp, build } = createTree();
  await build();
  change(folder);
  expect(stamp.isFresh()).toBe(false);
  await build();
  expect(stamp.isFresh()).toBe(true);
});

it.each([
  "kernel/core/test/main.test.ts",
  "kernel/node_modules/left-pad/index.js",
  "kernel/README.md",
  "kernel/.turbo/build.log",
])("stays fresh when %s changes", async (path) => {
  const { folder, stamp, build } = createTree();
  await build();
  write(folder, path, "changed");
  expect(stamp.isFresh()).toBe(true);
});

it("remembers nothing of a build during which a source was edited", async () => {
  const { folder, stamp } = createTree();
  await stamp.build(() => write(folder, "kernel/core/src/main.ts", "edited"));
  expect(stamp.isFresh()).toBe(false);
});

it("remembers nothing of a build that failed", async () => {
  const { stamp, build } = createTree();
  await build();
  await expect(
    stamp.build(() => Promise.reject(new Error("no"))),
  ).rejects.toThrow("no");
  expect(stamp.isFresh()).toBe(false);
});
