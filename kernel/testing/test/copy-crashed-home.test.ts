import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { copyCrashedHome, startTestKernel } from "../src/index.ts";

const record = z.object({
  id: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
  revision: z.number(),
});

/** Stores records, writes a file for each once it is stored, and drafts that are removed right after. */
const writer = definePlugin({
  id: "writer",
  api: 1,
  summary: "Writes all the time",
  mounts: [],
  async setup(ctx) {
    const records = ctx.store.collection({
      name: "record",
      version: 1,
      schema: record,
    });
    const folder = await ctx.folder();
    const isWriting = (async () => {
      for (let count = 0; !ctx.signal.aborted; count += 1) {
        const { id } = await records.insert({ id: `rec_${count}` });
        const draft = join(folder, `${id}.draft`);
        await writeFile(draft, "");
        await rename(draft, join(folder, id));
      }
    })().catch(() => undefined);
    ctx.own(() => isWriting);
  },
});

test("the store and the files are of one moment, whatever is written meanwhile", async () => {
  const root = await mkdtemp(join(tmpdir(), "gantry-copies-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const homes: string[] = [];
  {
    await using kernel = await startTestKernel([writer]);
    for (let count = 0; count < 20; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const home = join(root, String(count));
      copyCrashedHome(kernel.home, home);
      homes.push(home);
    }
  }
  for (const home of homes) {
    const files = await readdir(join(home, "data", "writer")).catch(() => []);
    await using kernel = await startTestKernel([], { home });
    const { engine } = kernel.kernel.foundation.core;
    const keys = await engine.keys("writer:record:");
    const stored = new Set(keys.map((key) => key.split(":").at(-1)));
    expect(files.filter((name) => !stored.has(name.split(".")[0]))).toEqual([]);
  }
  expect(await readdir(join(homes.at(-1)!, "data", "writer"))).not.toEqual([]);
});
