import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startProbe } from "../support/probe.ts";
import { makeStage, readHome, replaceWith } from "../support/whole-home.ts";

test("what is staged takes the place of what is there, and the daemon serves under the same address", async () => {
  await using kernel = await startProbe({ id: "lists" });
  const { url } = kernel;
  await kernel.ctx.store.set("a", { is: "old" });
  await writeFile(join(await kernel.ctx.folder(), "file.txt"), "old");
  const store = await readHome(kernel.ctx.wholeHome);
  await kernel.ctx.store.batch([
    { type: "set", key: "a", value: { is: "new" } },
    { type: "set", key: "b", value: { is: "new" } },
  ]);
  await writeFile(join(await kernel.ctx.folder(), "more.txt"), "new");
  const first = kernel.kernel;
  const replaced = kernel.replaced();
  await replaceWith(kernel.ctx.wholeHome, {
    store,
    files: { "data/lists/file.txt": "old" },
  });
  await replaced;
  expect(kernel.kernel).not.toBe(first);
  expect(kernel.url).toBe(url);
  expect(await kernel.ctx.store.list("")).toEqual({
    items: [{ key: "a", value: { is: "old" } }],
    nextCursor: null,
  });
  const folder = await kernel.ctx.folder();
  expect(await readdir(folder)).toEqual(["file.txt"]);
  expect(await readFile(join(folder, "file.txt"), "utf8")).toBe("old");
  expect((await kernel.api.get("/api/system")).status).toBe(200);
  expect(await kernel.ctx.wholeHome.lastReplacement()).toEqual({
    at: kernel.clock.timestamp(),
    mode: "replace",
    note: { of: "a test" },
    failure: null,
  });
  expect(await readdir(join(kernel.home, "restore"))).toEqual(["result.json"]);
  void makeStage;
});
