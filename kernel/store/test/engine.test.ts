import { describe, expect, test } from "vitest";
import type { StoreOperation } from "@gantry/plugin";
import { keyRange } from "@gantry/store/key-range";
import { driverKinds } from "./support/drivers.ts";
import { temporaryFolder } from "@gantry/build/testing";

const set = (key: string, value: object = { key }): StoreOperation => ({
  type: "set",
  key,
  value,
});
const remove = (key: string): StoreOperation => ({ type: "remove", key });

describe.each(driverKinds)("the engine on $name", ({ open }) => {
  async function start() {
    const folder = await temporaryFolder();
    return { engine: await open(folder), folder };
  }

  test("what was written is read, and what was removed is not", async () => {
    const { engine } = await start();
    await engine.commit([set("a:one", { n: 1 }), set("a:two", { n: 2 })]);
    await engine.commit([remove("a:one"), set("a:two", { n: 3 })]);
    expect(await engine.get("a:one")).toBeUndefined();
    expect(await engine.get("a:two")).toEqual({ n: 3 });
    await engine.close();
  });

  test("what was written is there when it is opened again", async () => {
    const { engine, folder } = await start();
    await engine.commit([set("a:one"), set("a:two")]);
    await engine.close();
    const again = await open(folder);
    expect(await again.keys("")).toEqual(["a:one", "a:two"]);
    expect(await again.get("a:one")).toEqual({ key: "a:one" });
    await again.close();
  });

  test("a value comes back as it was, whatever its fields are called", async () => {
    const { engine } = await start();
    const value = {
      constructor: { prototype: { polluted: true } },
      text: "true",
      number: "123",
      nothing: null,
      odd: "\u2028 \ud83d\ude00 \u0000",
      list: [[], {}, "null"],
    };
    await engine.commit([set("a:one", value)]);
    expect(JSON.stringify(await engine.get("a:one"))).toBe(
      JSON.stringify(value),
    );
    const [entry] = await engine.scan({
      ...keyRange("a:"),
      limit: 1,
      reverse: false,
    });
    expect(JSON.stringify(entry?.value)).toBe(JSON.stringify(value));
    await engine.close();
  });

  test("keys of a prefix come in order, also of one that ends inside a part", async () => {
    const { engine } = await start();
    await engine.commit(
      ["b:10", "b:2", "b:1", "a:1", "c:1"].map((key) => set(key)),
    );
    expect(await engine.keys("b:")).toEqual(["b:1", "b:10", "b:2"]);
    expect(await engine.keys("b:1")).toEqual(["b:1", "b:10"]);
    expect(await engine.keys("d:")).toEqual([]);
    await engine.close();
  });

  test("a range is read from either end, up to a limit", async () => {
    const { engine } = await start();
    const keys = ["r:0", "r:1", "r:2", "r:3", "r:4", "s:0"];
    await engine.commit(keys.map((key) => set(key)));
    const scan = async (
      from: string,
      to: string,
      limit: number,
      reverse: boolean,
    ) =>
      (await engine.scan({ from, to, limit, reverse })).map(({ key }) => key);
    expect(await scan("r:1", "r:4", 10, false)).toEqual(["r:1", "r:2", "r:3"]);
    expect(await scan("r:", "s:", 2, false)).toEqual(["r:0", "r:1"]);
    expect(await scan("r:", "s:", 2, true)).toEqual(["r:4", "r:3"]);
    expect(await scan("r:4", "r:1", 10, false)).toEqual([]);
    await engine.close();
  });

  test("batches that are written at once end in the order in which they were asked for", async () => {
    const { engine } = await start();
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        engine.commit([set("a:last", { n }), set(`a:each:${n}`)]),
      ),
    );
    expect(await engine.get("a:last")).toEqual({ n: 49 });
    expect(await engine.keys("a:each:")).toHaveLength(50);
    await engine.close();
  });

  test("an answer that was given stands for what is stored", async () => {
    const { engine } = await start();
    const write = engine.commit([set("a:one"), set("a:two")]);
    // Committed state only: what a crash in this moment would take back is not shown to any reader.
    const early = await Promise.all([engine.get("a:one"), engine.get("a:two")]);
    expect(new Set(early.map((value) => value === undefined)).size).toBe(1);
    await write;
    expect(await engine.get("a:two")).toEqual({ key: "a:two" });
    await engine.close();
  });
});
