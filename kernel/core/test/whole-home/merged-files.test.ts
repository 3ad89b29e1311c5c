import {
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PluginContext } from "@gantry/plugin";
import { createProbe, startProbe } from "../support/probe.ts";
import { makeStage, replaceWith } from "../support/whole-home.ts";

/** A plugin with files, and another one that merges some into them. */
async function startLists() {
  const contexts: PluginContext[] = [];
  const plugin = createProbe({
    id: "lists",
    setup: (ctx) => void contexts.push(ctx),
  });
  const kernel = await startProbe({ id: "keeper" }, { beside: [plugin] });
  return {
    kernel,
    get ctx() {
      return contexts.at(-1)!;
    },
    get starts() {
      return contexts.length;
    },
    [Symbol.asyncDispose]: () => kernel[Symbol.asyncDispose](),
  };
}

test("what comes until a plugin has stopped is not moved away by what is merged", async () => {
  await using lists = await startLists();
  const { wholeHome } = lists.kernel.ctx;
  const folder = await lists.ctx.folder();
  const late = (name: string) => join(folder, name, "late.txt");
  lists.ctx.own(async () => {
    await mkdir(join(folder, "empty"));
    await writeFile(late("empty"), "acknowledged");
    await mkdir(join(folder, "other"));
    await writeFile(late("other"), "acknowledged");
  });
  const stage = await makeStage(wholeHome, {
    files: { "data/lists/other/a.txt": "brought" },
  });
  await mkdir(join(stage, "data/lists/empty"));
  await wholeHome.replace({
    stage,
    mode: "merge",
    keepsSessions: true,
    note: {},
  });
  for (const name of ["empty", "other"])
    expect(await readFile(late(name), "utf8")).toBe("acknowledged");
  const brought = await readFile(join(folder, "other", "a.txt"), "utf8");
  expect(brought).toBe("brought");
});

test("a folder that comes in the place of a file until a plugin has stopped ends the merge", async () => {
  await using lists = await startLists();
  const folder = await lists.ctx.folder();
  const late = join(folder, "a", "late.txt");
  lists.ctx.own(async () => {
    await mkdir(join(folder, "a"));
    await writeFile(late, "acknowledged");
  });
  await expect(
    replaceWith(
      lists.kernel.ctx.wholeHome,
      { files: { "data/lists/a": "brought" } },
      { mode: "merge" },
    ),
  ).rejects.toThrow("data/lists/a is a folder in the home");
  expect(await readFile(late, "utf8")).toBe("acknowledged");
  expect(lists.starts).toBe(2);
});

test("a folder that is not there comes with its permissions", async () => {
  await using lists = await startLists();
  const { wholeHome } = lists.kernel.ctx;
  const folder = await lists.ctx.folder();
  const stage = await makeStage(wholeHome, {
    files: {
      "data/lists/outer/inner/a.txt": "brought",
      "data/lists/outer/b.txt": "brought",
    },
  });
  await chmod(join(stage, "data/lists/outer"), 0o750);
  await chmod(join(stage, "data/lists/outer/inner"), 0o711);
  await wholeHome.replace({
    stage,
    mode: "merge",
    keepsSessions: true,
    note: {},
  });
  const modeOf = async (path: string) =>
    (await stat(join(folder, path))).mode & 0o777;
  expect(await modeOf("outer")).toBe(0o750);
  expect(await modeOf("outer/inner")).toBe(0o711);
  expect(await readdir(folder, { recursive: true })).toHaveLength(4);
});
