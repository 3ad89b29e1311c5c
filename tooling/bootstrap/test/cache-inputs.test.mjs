import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { rootFolder } from "../shell.mjs";

/** Suites that are run each time that they are asked for, and pictures for the documentation. */
const NEVER_CACHED =
  /^(e2e\/(agents|long|pictures)|plugins\/[^/]+\/test\/(agents|long))\/|^tooling\/bench\/src\//;
/** What looks like a path of another package and is the name of one that does not exist, in tests of rules. */
const EXAMPLES = /^tooling\/lint\/test\//;

let tasks;
let globalFiles;
let trackedFiles;

/** What turbo would run, and from which files it makes the hashes. */
function dryRun(env = {}) {
  const { stdout } = run(
    "pnpm",
    [
      ...["exec", "turbo", "run", "test", "test:alone", "typecheck", "lint"],
      "lint:circles",
      "--dry=json",
    ],
    env,
  );
  return JSON.parse(stdout);
}

function run(command, args, env = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: rootFolder,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  expect(status, stderr).toBe(0);
  return { stdout };
}

beforeAll(() => {
  const plan = dryRun();
  tasks = new Map(plan.tasks.map((task) => [task.taskId, task]));
  globalFiles = new Set(Object.keys(plan.globalCacheInputs.files));
  trackedFiles = run("git", ["ls-files"]).stdout.trim().split("\n");
});

/** All files that are in the hash of a task, by itself or through what it depends on. */
function filesIn(taskId, seen = new Set(), files = new Set(globalFiles)) {
  if (seen.has(taskId)) return files;
  seen.add(taskId);
  const task = tasks.get(taskId);
  if (!task) return files;
  for (const path of Object.keys(task.inputs ?? {}))
    files.add(normalize(join(task.directory, path)));
  for (const dependency of task.dependencies) filesIn(dependency, seen, files);
  return files;
}

it("has every file that a package takes from another by its path in the hash of its tests", () => {
  const folders = [...tasks.values()]
    .filter(({ task, command }) => task === "test" && !/NONEXIST/.test(command))
    .map(({ taskId, directory }) => ({ taskId, directory }));
  // The innermost package that a file is in.
  const ownerOf = (path) =>
    folders
      .filter(({ directory }) => path.startsWith(`${directory}/`))
      .sort((a, b) => b.directory.length - a.directory.length)[0];
  const missing = [];
  const known = new Map();
  for (const path of trackedFiles) {
    const owner = ownerOf(path);
    if (!owner || !/\.(ts|mts|mjs|vue)$/.test(path)) continue;
    if (NEVER_CACHED.test(path) || EXAMPLES.test(path)) continue;
    if (!existsSync(join(rootFolder, path))) continue;
    const text = readFileSync(join(rootFolder, path), "utf8");
    for (const [, relative] of text.matchAll(/["'`](\.\.?\/[^"'`$\n]*)/g)) {
      const target = normalize(join(dirname(path), relative));
      const isElsewhere =
        !target.startsWith("..") && ownerOf(target)?.taskId !== owner.taskId;
      if (!isElsewhere || !isFile(join(rootFolder, target))) continue;
      if (!known.has(owner.taskId))
        known.set(owner.taskId, filesIn(owner.taskId));
      if (!known.get(owner.taskId).has(target))
        missing.push(`${owner.taskId}: ${path} takes ${target}`);
    }
  }
  expect(missing).toEqual([]);
});

it.each([
  ["its own source", "kernel/core/src/kernel.ts", "@gantry/kernel#test"],
  [
    "its own test",
    "plugins/git-kit/test/race.test.ts",
    "@gantry/git-kit#test:alone",
  ],
  [
    "a library for plugins",
    "plugins/git-kit/src/create-git.ts",
    "@gantry/plugin-agents#test",
  ],
  [
    "the test kernel",
    "kernel/testing/src/test-kernel.ts",
    "@gantry/kernel#test",
    "@gantry/plugin-inbox#test",
  ],
  [
    "the contract",
    "kernel/contract/src/index.ts",
    "@gantry/kernel#test",
    "@gantry/plugin-agents#test",
    "@gantry/e2e#test",
  ],
  [
    "helpers of the end-to-end tests",
    "e2e/support/daemon.ts",
    "@gantry/e2e#test",
    "@gantry/plugin-agents#test",
  ],
  [
    "a plugin",
    "plugins/snippets/src/index.ts",
    "@gantry/plugin-snippets#test",
    "@gantry/e2e#test",
    "@gantry/reference#test",
  ],
  [
    "a page of a plugin",
    "plugins/terminals/ui/index.ts",
    "@gantry/e2e#test",
    "@gantry/ui-kit#typecheck",
  ],
  ["a server or a test", "e2e/attacks/world/world.ts", "//#typecheck"],
  ["the shell", "ui/shell/app/app.vue", "@gantry/plugin-inbox#test"],
  ["the test preset", "tooling/build/src/vitest.ts", "@gantry/kernel#test"],
  ["a rule of lint", "tooling/lint/src/layers.ts", "//#lint"],
  ["an import of a page", "ui/shell/app/app.vue", "//#lint:circles"],
  ["a README with tables", "plugins/inbox/README.md", "@gantry/reference#test"],
  [
    "the pinned toolchain",
    "tooling/bootstrap/package-lock.json",
    "@gantry/kernel#test",
    "//#lint",
  ],
])("misses when %s changes", (_, path, ...taskIds) => {
  expect(trackedFiles).toContain(path);
  for (const taskId of taskIds)
    expect([...filesIn(taskId)], taskId).toContain(path);
});

it("misses on another machine, and builds nothing again for it", () => {
  for (const { taskId, hash } of dryRun({ GANTRY_MACHINE: "another" }).tasks) {
    const isTest = /#test(:alone)?$/.test(taskId);
    const isMissed = hash !== tasks.get(taskId).hash;
    expect([taskId, isMissed]).toEqual([taskId, isTest]);
  }
});

function isFile(path) {
  return existsSync(path) && statSync(path).isFile();
}

it("has nothing in a hash that was installed or built", () => {
  const found = [...tasks.values()].flatMap(({ taskId, inputs }) =>
    Object.keys(inputs ?? {})
      .filter((path) => /(^|\/)(node_modules|dist)\//.test(path))
      .map((path) => `${taskId}: ${path}`),
  );
  expect(found).toEqual([]);
});
