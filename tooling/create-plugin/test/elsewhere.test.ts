import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check } from "prettier";
import { cases } from "@gantry/build/testing";
import { expect, onTestFinished, test } from "vitest";
import { createPlugin } from "../src/create-plugin.ts";
import { makeFiles } from "../src/made-files.ts";
import { toNames } from "../src/names.ts";
import { readManifest } from "./support/small-checkout.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-create-plugin-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("outside the repository it has a place of its own, named by its folder", async () => {
  const parent = await createFolder();
  const made = await createPlugin({ folder: "new/bookmarks" }, parent);
  expect(made).toMatchObject({
    folder: join(parent, "new/bookmarks"),
    inside: false,
    names: { plugin: "bookmarks", thing: "bookmark" },
  });
  expect(await readdir(made.folder)).toContain(".gitignore");
  expect(await readManifest(made.folder)).toMatchObject({
    name: "gantry-plugin-bookmarks",
  });
  for (const file of made.files)
    expect(await readFile(join(made.folder, file), "utf8"), file).not.toMatch(
      /workspace:|catalog:|tsconfig\.base|my.?plugin|my.?thing/i,
    );
});

test("a folder elsewhere may have another name than the plugin", async () => {
  const folder = join(await createFolder(), "somewhere");
  expect(await createPlugin({ name: "bookmarks", folder }, ROOT)).toMatchObject(
    { folder, inside: false, names: { plugin: "bookmarks" } },
  );
});

test("outside any checkout it needs a folder", async () => {
  const parent = await createFolder();
  await expect(createPlugin({ name: "bookmarks" }, parent)).rejects.toThrow(
    "say with --folder",
  );
  expect(await readdir(parent)).toEqual([]);
});

test("the versions that it asks for are those of this repository", async () => {
  const workspace = await readFile(join(ROOT, "pnpm-workspace.yaml"), "utf8");
  const versionOf = async (name: string) => {
    const folder = {
      "@gantry/build": "tooling/build",
      "@gantry/plugin": "kernel/contract",
      "@gantry/plugin-testing": "kernel/testing",
      "@gantry/ui-kit": "ui/kit",
    }[name];
    if (folder === undefined)
      return new RegExp(`^  "?${name}"?: (.+)$`, "m").exec(workspace)?.[1];
    const file = await readFile(join(ROOT, folder, "package.json"), "utf8");
    return (JSON.parse(file) as { version: string }).version;
  };
  const files = await makeFiles(toNames("bookmarks"), "outside");
  const manifest = JSON.parse(files.get("package.json")!) as {
    devDependencies: Record<string, string>;
  };
  const asked = Object.entries(manifest.devDependencies);
  expect(asked.length).toBeGreaterThan(8);
  for (const [name, range] of asked)
    expect(range, name).toBe(`^${await versionOf(name)}`);
});

test.each(cases(["inside", "outside"] as const))(
  "%s, files are formatted whether names are short or long",
  async (place) => {
    for (const id of ["x", "quite-long-names-of-things-to-keep-safe"]) {
      for (const [filepath, text] of await makeFiles(toNames(id), place)) {
        if (filepath === ".gitignore") continue;
        expect(await check(text, { filepath }), filepath).toBe(true);
      }
    }
  },
);
