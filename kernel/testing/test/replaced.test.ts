import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { definePlugin } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { startTestKernel } from "../src/index.ts";

test("the kernel starts again by itself when a plugin replaces the home", async () => {
  let ctx: PluginContext;
  const keeper = definePlugin({
    id: "keeper",
    api: 1,
    summary: "Replaces the home",
    mounts: ["/api/keeper"],
    setup: (context) => void (ctx = context as PluginContext),
  });
  await using kernel = await startTestKernel([keeper]);
  const { url, kernel: before } = kernel;
  await ctx!.store.set("a", {});
  const stage = await ctx!.wholeHome.stage();
  await mkdir(join(stage, "store"));
  const replaced = kernel.replaced();
  await ctx!.wholeHome.replace({
    stage,
    mode: "replace",
    keepsSessions: true,
    note: {},
  });
  await replaced;
  expect(kernel.kernel).not.toBe(before);
  expect(kernel.url).toBe(url);
  expect(await ctx!.store.keys("")).toEqual([]);
  expect((await kernel.api.get("/api/system")).status).toBe(200);
});
