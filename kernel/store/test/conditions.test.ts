import { describe, expect, test } from "vitest";
import type { StoreOperation } from "@gantry/plugin";
import { driverKinds } from "./support/drivers.ts";
import { temporaryFolder } from "@gantry/build/testing";

const set = (key: string, value: object = {}): StoreOperation => ({
  type: "set",
  key,
  value,
});
const absent = (key: string, isPrefix = false): StoreOperation => ({
  type: "absent",
  key,
  isPrefix,
});
const CONFLICT = { code: "STORE_CONFLICT", status: 409 };

describe.each(driverKinds)("a batch with a condition, on $name", ({ open }) => {
  const start = async () => open(await temporaryFolder());

  test("is written if the key is free, else left out whole", async () => {
    const engine = await start();
    await engine.commit([absent("a:1"), set("a:1", { n: 1 }), set("b")]);
    await expect(
      engine.commit([set("c"), absent("a:1"), set("a:1", { n: 2 })]),
    ).rejects.toMatchObject(CONFLICT);
    expect(await engine.get("a:1")).toEqual({ n: 1 });
    expect(await engine.keys("")).toEqual(["a:1", "b"]);
    await engine.close();
  });

  test("holds whatever follows it: another key, or the same key twice", async () => {
    const engine = await start();
    await engine.commit([absent("a"), set("b")]);
    await engine.commit([absent("a"), set("a"), set("a", { n: 2 })]);
    await expect(
      engine.commit([absent("b"), set("c"), set("b", { n: 2 })]),
    ).rejects.toMatchObject(CONFLICT);
    expect(await engine.getMany(["a", "b"])).toEqual([{ n: 2 }, {}]);
    expect(await engine.keys("")).toEqual(["a", "b"]);
    await engine.close();
  });

  test("is about one key, or about all that begin with it", async () => {
    const engine = await start();
    await engine.commit([set("index:x:1")]);
    await engine.commit([absent("index:x"), set("one")]);
    await engine.commit([absent("index:xy", true), set("two")]);
    await expect(
      engine.commit([absent("index:x:", true), set("three")]),
    ).rejects.toMatchObject(CONFLICT);
    expect(await engine.keys("")).toEqual(["index:x:1", "one", "two"]);
    await engine.close();
  });

  test("of two that come at once one is written, and no other is hurt", async () => {
    const engine = await start();
    const results = await Promise.allSettled([
      engine.commit([absent("same"), set("same", { by: 1 })]),
      engine.commit([set("other")]),
      engine.commit([absent("same"), set("same", { by: 2 })]),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    expect(await engine.get("same")).toEqual({ by: 1 });
    expect(await engine.keys("")).toEqual(["other", "same"]);
    await engine.close();
  });
});
