import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createConfig } from "@gantry/lint";
import type { PluginDefinition } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { ESLint } from "eslint";
import { check } from "prettier";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareReadme } from "../../reference/src/readme.ts";
import { createSmallCheckout, readManifest } from "./support/small-checkout.ts";
import type { Ended, SmallCheckout } from "./support/small-checkout.ts";

let checkout: SmallCheckout;
let made: Ended;
let folder: string;
let files: string[];

beforeAll(async () => {
  checkout = await createSmallCheckout();
  made = await checkout.create("reading-lists");
  folder = join(checkout.path, "plugins/reading-lists");
  files = await listFiles(folder);
  await checkout.install(folder);
});
afterAll(() => checkout[Symbol.asyncDispose]());

async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

const read = (file: string) => readFile(join(folder, file), "utf8");

test("it says what it made, and what comes next", () => {
  expect(made.code).toBe(0);
  expect(made.output).toMatch("Made plugins/reading-lists: 16 files.");
  expect(made.output).toMatch(
    "It keeps reading lists: each is a reading list.",
  );
  expect(made.output).toMatch(
    "npm test -- --filter=@gantry/plugin-reading-lists",
  );
});

test("files have the plugin's names, and no mark of the template is left", async () => {
  expect(files).toEqual([
    "README.md",
    "package.json",
    "src/contract.ts",
    "src/errors.ts",
    "src/index.ts",
    "src/reading-lists.ts",
    "src/routes/create-reading-list.ts",
    "src/routes/list-reading-lists.ts",
    "test/conformance.test.ts",
    "test/reading-lists.test.ts",
    "tsconfig.json",
    "ui/components/ReadingListForm.vue",
    "ui/index.ts",
    "ui/pages/ReadingListsPage.vue",
    "ui/tsconfig.json",
    "vitest.config.ts",
  ]);
  for (const file of files)
    expect(await read(file), file).not.toMatch(/my[-_ ]?(plugin|thing)/i);
});

test("everything that it imports is among its dependencies", async () => {
  const { dependencies, devDependencies } = await readManifest(folder);
  const declared = Object.keys({ ...dependencies, ...devDependencies });
  const imported = new Set<string>();
  for (const file of files)
    for (const [, name] of (await read(file)).matchAll(
      /from "((?:@[^/"]+\/)?[^./"][^/"]*)/g,
    ))
      imported.add(name!);
  expect(imported.size).toBeGreaterThan(4);
  expect([...imported].filter((name) => !declared.includes(name))).toEqual([]);
});

test("it is formatted", async () => {
  for (const file of files)
    expect(await check(await read(file), { filepath: file }), file).toBe(true);
});

test("it passes our lint", { tags: "thorough" }, async () => {
  const eslint = new ESLint({
    cwd: checkout.path,
    overrideConfigFile: true,
    overrideConfig: createConfig(join(checkout.path, "tsconfig.sources.json")),
  });
  const results = await eslint.lintFiles(["plugins"]);
  expect(results.length).toBeGreaterThan(10);
  expect(results.flatMap(({ messages }) => messages)).toEqual([]);
});

test(
  "its types fit, those of its pages too",
  { tags: "thorough" },
  async () => {
    expect(await checkout.runScript(folder, "typecheck")).toEqual({
      code: 0,
      output: "",
    });
  },
);

test("it builds", async () => {
  const { code, output } = await checkout.runScript(folder, "build");
  expect(output).toContain("Built @gantry/plugin-reading-lists");
  expect(code).toBe(0);
  for (const file of ["dist/server.mjs", "dist/ui/index.mjs"])
    expect(existsSync(join(folder, file)), file).toBe(true);
});

test("its own tests pass in a real kernel", { tags: "thorough" }, async () => {
  const { code, output } = await checkout.runScript(folder, "test");
  expect(output).not.toMatch("FAIL");
  expect(code).toBe(0);
  const report = JSON.parse(await read(".turbo/test-report.json")) as object;
  expect(report).toMatchObject({ numPassedTests: 15, numPendingTests: 0 });
});

test("the tables in its README are those that `npm run docs` would write", async () => {
  const { default: plugin } = (await import(join(folder, "src/index.ts"))) as {
    default: PluginDefinition;
  };
  await using kernel = await startTestKernel([plugin]);
  const { current, wanted } = await compareReadme({
    readme: join(folder, "README.md"),
    area: {
      routes: kernel.kernel.http.app.table
        .routes()
        .filter(({ owner }) => owner.plugin === plugin.id)
        .map(({ definition }) => definition),
      provides: [],
      uses: [],
      events: plugin.events ?? [],
      errors: plugin.errors?.definitions ?? {},
    },
  });
  expect(current).toBe(wanted);
  const reference = await readManifest(
    join(checkout.path, "tooling/reference"),
  );
  expect(reference.devDependencies).toHaveProperty(
    ["@gantry/plugin-reading-lists"],
    "workspace:*",
  );
});
