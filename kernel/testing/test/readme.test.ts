import { readFile } from "node:fs/promises";
import { startTestKernel } from "@gantry/plugin-testing";
import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { expect, test } from "vitest";

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");
const contract = await read("../../contract/README.md");
const testing = await read("../README.md");

/** Code of a README that begins with an import: what a reader would take over as a file. */
function filesIn(readme: string): string[] {
  return [...readme.matchAll(/```ts\n(import [\s\S]*?)```/g)].map(
    ([, code = ""]) => code,
  );
}

/** The names in the first column of the tables below a heading. */
function namesBelow(readme: string, heading: string): string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| (`.+?) *\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  );
}

test("the plugin and the tests that the READMEs show are those that run here", async () => {
  expect(filesIn(contract)).toEqual([await read("./fixtures/notes.ts")]);
  expect(filesIn(testing)).toEqual([
    await read("./notes.test.ts"),
    await read("./conformance.test.ts"),
  ]);
});

test("the README has a sentence on each member of the context, and on no other", async () => {
  let members: string[] = [];
  const plugin = definePlugin({
    id: "curious",
    api: 1,
    summary: "Looks at what it gets",
    mounts: [],
    setup: (ctx) => void (members = Object.keys(ctx)),
  });
  await using _kernel = await startTestKernel([plugin]);
  expect(namesBelow(contract, "What `ctx` has").sort()).toEqual(members.sort());
});

test("the README has a sentence on each field of a plugin, and on no other", () => {
  const all = {
    id: true,
    api: true,
    summary: true,
    mounts: true,
    config: true,
    needs: true,
    wants: true,
    provides: true,
    events: true,
    errors: true,
    setup: true,
  } satisfies Record<keyof PluginDefinition, true>;
  expect(namesBelow(contract, "What a plugin declares")).toEqual(
    Object.keys(all),
  );
});

test("the README describes each member of a test kernel", async () => {
  await using kernel = await startTestKernel([]);
  expect(namesBelow(testing, "`startTestKernel(plugins, options)`")).toEqual(
    expect.arrayContaining(Object.keys(kernel)),
  );
});
