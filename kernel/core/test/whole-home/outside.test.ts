import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MACHINE_PREFIX } from "@gantry/plugin";
import { startProbe } from "../support/probe.ts";
import { temporaryFolder } from "@gantry/build/testing";
import { readHome, replaceWith } from "../support/whole-home.ts";

/** A daemon whose store is not in its home. */
async function startOutside() {
  const base = await temporaryFolder();
  const driver = "unstorage/drivers/fs-lite";
  const storage = { driver, options: { base } };
  const kernel = await startProbe({ id: "lists" }, { config: { storage } });
  return { kernel, base, storage };
}

test("a store outside of the home is rewritten, with its lease and its sessions kept", async () => {
  const started = await startOutside();
  await using kernel = started.kernel;
  await kernel.ctx.store.set("a", { is: "old" });
  const image = await readHome(kernel.ctx.wholeHome);
  expect(
    Object.values(image)
      .flat()
      .map(({ key }) => key),
  ).not.toContain("kernel:lease");
  await kernel.ctx.store.set("a", { is: "new" });
  await kernel.ctx.store.set("b", { is: "new" });
  await kernel.ctx.store.set(`${MACHINE_PREFIX}a`, { is: "here" });
  const latest = kernel.kernel.foundation.eventLog.latest();
  const replaced = kernel.replaced();
  await replaceWith(kernel.ctx.wholeHome, {
    store: image,
    files: { "data/lists/a.txt": "brought" },
  });
  await replaced;
  expect(await kernel.ctx.store.keys("")).toEqual([`${MACHINE_PREFIX}a`, "a"]);
  expect(await kernel.ctx.store.get("a")).toEqual({ is: "old" });
  expect((await kernel.api.get("/api/system")).status).toBe(200);
  expect(kernel.kernel.foundation.eventLog.latest()).toBeGreaterThan(latest);
  expect(await readFile(join(await kernel.ctx.folder(), "a.txt"), "utf8")).toBe(
    "brought",
  );
  const { engine } = kernel.kernel.foundation.core;
  expect(await engine.get("kernel:lease")).toMatchObject({ pid: process.pid });
});

test("records are merged into a store outside of the home", async () => {
  const started = await startOutside();
  await using kernel = started.kernel;
  await replaceWith(
    kernel.ctx.wholeHome,
    { store: { other: [{ key: "other:a", text: '{"n":1}' }] } },
    { mode: "merge" },
  );
  expect((await readHome(kernel.ctx.wholeHome)).other).toEqual([
    { key: "other:a", text: '{"n":1}' },
  ]);
});
