import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRepository } from "../src/find-repository.ts";
import { openGitViews, type GitView, type GitViews } from "../src/git-views.ts";
import { createRepository } from "./support/repositories.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** Opens the view of a repository as it is now. */
async function openView(views: GitViews, folder: string): Promise<GitView> {
  const repository = await findRepository(folder);
  const view = repository && (await views.open(repository));
  if (typeof view !== "object") throw new Error(`There is no view: ${view}`);
  return view;
}

async function prepare() {
  const place = join(await temporaryFolder(), "views");
  const folder = await createRepository();
  const views = openGitViews(place);
  return {
    place,
    folder,
    open: () => openView(views, folder),
    change: (abbrev: number) =>
      writeFile(join(folder, ".git/config"), `[core]\n\tabbrev = ${abbrev}\n`),
  };
}

const filesOf = ({ variables }: GitView) =>
  readdir(variables["GIT_COMMON_DIR"]!);

test("a view is used again as long as the settings are the same", async () => {
  const { place, open, change } = await prepare();
  await Promise.all([open(), open(), open()]);
  expect(await readdir(place)).toHaveLength(1);
  await change(7);
  await open();
  expect(await readdir(place)).toHaveLength(2);
});

test(
  "those of the settings that were longest ago are removed, but none in use",
  { tags: "thorough" },
  async () => {
    const { place, open, change } = await prepare();
    const held = await open();
    for (let abbrev = 5; abbrev < 85; abbrev += 1) {
      await change(abbrev);
      (await open()).release();
    }
    await expect.poll(() => readdir(place)).toHaveLength(64);
    expect(await filesOf(held)).toContain("config");
    held.release();
    await change(5);
    expect(await filesOf(await open())).toContain("config");
  },
);

test("one that was removed is created again, and those of an earlier daemon go", async () => {
  const { place, folder, open } = await prepare();
  const view = await open();
  await rm(place, { recursive: true });
  expect(await filesOf(await open())).toContain("config");
  view.release();
  await writeFile(join(place, "left-over"), "");
  await openView(openGitViews(place), folder);
  expect(await readdir(place)).not.toContain("left-over");
});
