import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PluginContext } from "@gantry/plugin";
import { createProbe, startProbe } from "../support/probe.ts";
import { makeStage, readHome } from "../support/whole-home.ts";

const REFUSED = { code: "HOME_REPLACEMENT_PENDING", status: 409 };

/** A plugin whose home is replaced, and another one that keeps writing. */
async function startBoth() {
  let writer: PluginContext;
  const beside = createProbe({
    id: "writer",
    setup(ctx) {
      writer = ctx;
    },
  });
  const kernel = await startProbe({ id: "lists" }, { beside: [beside] });
  return { kernel, writer: () => writer };
}

test("what is acknowledged until a home is replaced is in the last image of it", async () => {
  const { kernel, writer } = await startBoth();
  await using _ = kernel;
  const { wholeHome } = kernel.ctx;
  const stage = await makeStage(wholeHome, { store: { writer: [] } });
  const { store } = writer();
  const acknowledged: string[] = [];
  const write = async (key: string) => {
    await store.set(key, { is: key });
    acknowledged.push(`writer:${key}`);
  };
  await write("staged");
  const inFlight = Array.from({ length: 20 }, (_, at) => write(`flying-${at}`));
  const { core, quarantine } = kernel.kernel.foundation;
  await core.engine.commit([
    { type: "set", key: "writer:odd", value: "no JSON" },
  ]);
  await store.get("odd");
  const [odd] = quarantine.list();
  let image: string[] = [];
  const replaced = kernel.replaced();
  await wholeHome.replace({
    ...{ stage, mode: "replace", keepsSessions: true, note: { of: "a test" } },
    async beforeReplacing() {
      await Promise.all(inFlight);
      const { writer: entries = [] } = await readHome(wholeHome);
      image = entries.map(({ key }) => key).filter((key) => key !== odd?.key);
      // What the kernel does with a plugin's records, as a user asks for it.
      await expect(quarantine.delete(odd!.id)).rejects.toMatchObject(REFUSED);
      await expect(write("late")).rejects.toMatchObject({
        code: "PLUGIN_STOPPED",
      });
      // Who replaces it still notes what it does.
      await kernel.ctx.store.set("own", { is: "noted" });
      return { safe: true };
    },
  });
  await expect(write("later")).rejects.toMatchObject({});
  await replaced;
  expect(image.sort()).toEqual(acknowledged.sort());
  expect(await wholeHome.lastReplacement()).toMatchObject({
    note: { of: "a test", safe: true },
  });
  // The daemon that runs now writes again.
  await writer().store.set("new", { is: "new" });
});

test.each(["replace", "merge"] as const)(
  "%s: records and files that a plugin writes until it has stopped are in the last image",
  async (mode) => {
    const { kernel, writer } = await startBoth();
    await using _ = kernel;
    const { wholeHome } = kernel.ctx;
    const { store, signal, own, folder } = writer();
    const file = join(await folder(), "log.txt");
    const entry = { key: "writer:count", text: '{"count":-1}' };
    const stage = await makeStage(wholeHome, {
      store: { writer: [entry] },
      files: { "data/writer/log.txt": "staged" },
    });
    const acknowledged = { record: 0, file: 0 };
    const write = async (count: number) => {
      await store.set("count", { count });
      acknowledged.record = count;
      await writeFile(file, String(count));
      acknowledged.file = count;
    };
    const writing = (async () => {
      for (let count = 1; !signal.aborted; count++) await write(count);
    })().catch(() => {});
    // The last that it writes as it stops.
    own(async () => {
      await writing;
      await writeFile(file, String(++acknowledged.file));
    });
    let image: unknown;
    const replaced = kernel.replaced();
    await wholeHome.replace({
      ...{ stage, mode, keepsSessions: true, note: {} },
      async beforeReplacing() {
        const { writer: entries = [] } = await readHome(wholeHome);
        const text = entries.find(({ key }) => key === entry.key)?.text ?? "{}";
        const { count } = JSON.parse(text) as { count?: number };
        image = { record: count, file: Number(await readFile(file)) };
        await expect(write(0)).rejects.toMatchObject({});
        return {};
      },
    });
    expect(image).toEqual(acknowledged);
    expect(acknowledged.record).toBeGreaterThan(0);
    if (mode === "replace") await replaced;
    expect(await readFile(file, "utf8")).toBe("staged");
    expect(await writer().store.get("count")).toEqual({
      count: -1,
    });
  },
);

test("all plugins write again when a replacement is given up, or has merged its records", async () => {
  const { kernel, writer } = await startBoth();
  await using _ = kernel;
  const { wholeHome } = kernel.ctx;
  const staged = { store: { writer: [{ key: "writer:a", text: "{}" }] } };
  const stage = await makeStage(wholeHome, staged);
  const merge = {
    stage,
    mode: "merge",
    keepsSessions: true,
    note: {},
  } as const;
  const damaged = await makeStage(wholeHome, staged);
  await expect(
    wholeHome.replace({
      ...{ ...merge, mode: "replace", stage: damaged },
      async beforeReplacing() {
        await writeFile(join(damaged, "store", "writer.ndjson"), "no line");
        return {};
      },
    }),
  ).rejects.toThrow(TypeError);
  await writer().store.set("b", { is: "kept" });
  await expect(
    wholeHome.replace({
      ...merge,
      beforeReplacing: () => Promise.reject(new Error("No room.")),
    }),
  ).rejects.toThrow("No room.");
  await writer().store.set("c", { is: "kept" });
  await rm(stage, { recursive: true });
  await wholeHome.replace({
    ...merge,
    stage: await makeStage(wholeHome, staged),
    beforeReplacing: () => Promise.resolve({}),
  });
  await writer().store.set("d", { is: "kept" });
  const { items } = await writer().store.list("");
  expect(items.map(({ key }) => key)).toEqual(["a", "b", "c", "d"]);
});
