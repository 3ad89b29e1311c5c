import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createIdentifier, definePlugin, type WholeHome } from "@gantry/plugin";
import { startSnippets } from "./support/snippets.ts";

test("a slug that a merge brings a second time stays with the snippet that was here, also after a restart", async () => {
  let home: WholeHome;
  const merger = definePlugin({
    id: "merger",
    api: 1,
    summary: "Made for a test",
    mounts: [],
    setup(ctx) {
      home = ctx.wholeHome;
    },
  });
  await using kernel = await startSnippets([merger]);
  const kept = await kernel.save({ title: "Local", slug: "same" });
  const lines = ["same", "other"].map((slug, at) => {
    // In front of the one that is here, and in order.
    const id = createIdentifier("snp").replace(/_.{3}/, `_22${at + 2}`);
    const data = { ...kept, id, slug, title: "Brought" };
    const text = JSON.stringify({ v: 1, data });
    return `${JSON.stringify({ key: `snippets:snippet:${id}`, text })}\n`;
  });
  const stage = await home!.stage();
  await mkdir(join(stage, "store"));
  await writeFile(join(stage, "store", "snippets.ndjson"), lines.join(""));
  await home!.replace({ stage, mode: "merge", keepsSessions: true, note: {} });
  const found = async () => {
    const titles: Record<string, string[]> = { same: [], other: [] };
    for (const { slug, title } of await kernel.list())
      titles[slug]?.push(title);
    return titles;
  };
  const expected = { same: ["Local"], other: ["Brought"] };
  expect(await found()).toEqual(expected);
  await kernel.restart();
  expect(await found()).toEqual(expected);
});
