import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ESLint } from "eslint";
import { expect, it, onTestFinished } from "vitest";
import { createConfig } from "../src/index.ts";

/** A repository of its own: the rules look at places, and those that need types at the project. */
function createRepository(path: string, code: string): ESLint {
  const cwd = mkdtempSync(join(tmpdir(), "gantry-lint-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const project = join(cwd, "tsconfig.json");
  writeFileSync(
    project,
    '{ "compilerOptions": { "lib": ["es2015"], "types": [] } }',
  );
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), code);
  return new ESLint({
    cwd,
    overrideConfigFile: true,
    overrideConfig: createConfig(project),
  });
}

/** Which rules refuse this code in this file. */
async function refusals(
  path: string,
  code: string,
): Promise<(string | null)[]> {
  const [result] = await createRepository(path, code).lintFiles([path]);
  return result!.messages.map(({ ruleId, message }) => ruleId ?? message);
}

const SPAWN =
  'import { spawn } from "node:child_process";\nexport const run = () => spawn("ls");\n';
const FETCH = "export const load = () => fetch('https://example.org');\n";
const TIME = "export const now = () => Date.now();\n";

const PROMISE =
  "const load = async () => 1;\nexport const start = () => {\n  load();\n};\n";
const UNDOCUMENTED = "export const value = 1;";
const STATEMENT = "console.log(1);";
/** A function of `count` lines of code, with as many comments and blank lines. */
const longFunction = (count: number) =>
  `export function work() {${"\n  // Why.\n\n  console.log(1);".repeat(count - 2)}\n}\n`;
const lines = (count: number) => `export {};${"\n//".repeat(count - 1)}`;

it.each([
  ["gantry/no-child-process", "kernel/core/src/kernel.ts", SPAWN],
  ["gantry/no-child-process", "plugins/notes/src/notes.ts", SPAWN],
  ["gantry/no-bare-fetch", "kernel/core/src/kernel.ts", FETCH],
  ["gantry/no-bare-fetch", "plugins/notes/ui/load.ts", FETCH],
  ["gantry/no-bare-fetch", "ui/shell/app/load.ts", FETCH],
  ["gantry/no-bare-fetch", "plugins/notes/src/practice/load.ts", FETCH],
  ["gantry/no-ambient-time", "plugins/notes/src/notes.ts", TIME],
  ["gantry/module-does-nothing", "plugins/notes/src/notes.ts", STATEMENT],
  ["gantry/module-does-nothing", "kernel/contract/src/route.ts", STATEMENT],
  ["gantry/docstrings", "kernel/contract/src/route.ts", UNDOCUMENTED],
  ["gantry/docstrings", "kernel/testing/src/clock.ts", UNDOCUMENTED],
  [
    "gantry/layers",
    "plugins/notes/src/notes.ts",
    'export * from "@gantry/kernel";',
  ],
  ["gantry/reasons", "kernel/core/src/main.ts", "export const value: any = 1;"],
  ["gantry/plain-words", "kernel/core/src/new-file.ts", "// Runs it in vain."],
  ["gantry/plain-words", "plugins/notes/src/notes.ts", "// Runs it in vain."],
  ["max-lines", "plugins/notes/src/index.ts", lines(81)],
  ["max-lines", "kernel/core/src/main.ts", lines(401)],
  ["max-lines-per-function", "kernel/core/src/main.ts", longFunction(81)],
  ["max-lines-per-function", "plugins/notes/ui/useNotes.ts", longFunction(81)],
  [
    "@typescript-eslint/ban-ts-comment",
    "kernel/core/src/main.ts",
    "// @ts-ignore for a good reason\nexport {};",
  ],
  [
    "no-restricted-properties",
    "kernel/core/test/main.test.ts",
    'it.only("works", () => {});',
  ],
  ...[
    "it('works', () => {}, 60_000);",
    "test.each([1])('works', () => {}, 60_000);",
    "describe('it', { timeout: 60_000 }, () => {});",
    "beforeAll(() => {}, 60_000);",
    "await vi.waitFor(() => {}, { timeout: 10_000 });",
    "await vi.waitFor(() => {}, 10_000);",
    "expect.poll(() => 1, { interval: 5, timeout: 10_000 });",
    "page.setDefaultTimeout(15_000);",
  ].map((code) => [
    "no-restricted-syntax",
    "kernel/core/test/main.test.ts",
    code,
  ]),
  [
    "@typescript-eslint/no-floating-promises",
    "plugins/notes/src/notes.ts",
    PROMISE,
  ],
  [
    "@typescript-eslint/no-floating-promises",
    "kernel/core/src/main.ts",
    PROMISE,
  ],
  [
    "eqeqeq",
    "kernel/core/src/main.ts",
    "export const same = 1 == Number('1');",
  ],
  [
    "vue/require-v-for-key",
    "ui/kit/src/TheCard.vue",
    '<template><p v-for="n in 3">{{ n }}</p></template>',
  ],
])("%s refuses code in %s", async (rule, path, code) => {
  expect(await refusals(path, code)).toEqual([rule]);
});

it.each([
  ["kernel/system/src/processes/run.ts", SPAWN],
  ["kernel/core/test/main.test.ts", SPAWN],
  [
    "kernel/core/test/main.test.ts",
    "test('x', () => {}, 2 * WAIT_MS);\nawait vi.waitFor(() => {}, { interval: 5 });",
  ],
  ["e2e/long/main.test.ts", "test('x', () => {}, 60_000);"],
  ["plugins/agents/src/practice/main.ts", SPAWN],
  ["tooling/build/src/build-on-change.ts", SPAWN],
  ["e2e/daemon.ts", SPAWN],
  ["kernel/system/src/outbound/fetch.ts", FETCH],
  ["ui/kit/src/api.ts", FETCH],
  ["plugins/notes/test/notes.test.ts", FETCH + TIME],
  ["plugins/agents/src/practice/main.ts", TIME + STATEMENT],
  [
    "plugins/notes/ui/pages/index.vue",
    "<template><p   class='a'>{{ Date.now() }}</p></template>\n",
  ],
  ["kernel/core/test/fixtures/long.ts", lines(401)],
  ["kernel/core/src/main.ts", longFunction(80)],
  ["kernel/core/test/main.test.ts", longFunction(81)],
  [
    "ui/shell/app/app.vue",
    "<template><br />\n<div>\n<p\n>a</p></div></template>\n",
  ],
  ["plugins/notes/src/index.ts", lines(80)],
  ["kernel/core/src/main.ts", lines(400)],
  ["ui/shell/scripts/build.ts", SPAWN],
])("in %s this is fine: %j", async (path, code) => {
  expect(await refusals(path, code)).toEqual([]);
});

it("leaves alone what tools made", async () => {
  const linter = createRepository("kernel/core/src/main.ts", "");
  for (const path of [
    "plugins/notes/dist/server.mjs",
    "ui/shell/.nuxt/routes.ts",
    "kernel/core/src/api.generated.ts",
  ]) {
    expect(await linter.isPathIgnored(path)).toBe(true);
  }
});
