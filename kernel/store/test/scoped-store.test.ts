import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { keyPart } from "@gantry/plugin";
import { openTestStore } from "./support/store.ts";
import { anyText } from "../../system/test/support/texts.ts";

test("a plugin reads, lists and removes its own keys and no other's", async () => {
  const { storeOf } = await openTestStore();
  const [notes, other, longer] = [
    storeOf("notes"),
    storeOf("other"),
    storeOf("notes-more"),
  ];
  await Promise.all([
    notes.set("a:1", { of: "notes" }),
    other.set("a:1", { of: "other" }),
    longer.set("a:1", { of: "longer" }),
  ]);
  expect(await notes.get("a:1")).toEqual({ of: "notes" });
  expect(await notes.keys("")).toEqual(["a:1"]);
  expect((await notes.list("")).items).toEqual([
    { key: "a:1", value: { of: "notes" } },
  ]);
  await notes.remove("a:1");
  expect(await notes.get("a:1")).toBeUndefined();
  expect(await other.get("a:1")).toEqual({ of: "other" });
  expect(await longer.get("a:1")).toEqual({ of: "longer" });
});

test("a key that is none is refused everywhere, so that no spelling leads elsewhere", async () => {
  const { storeOf, engine } = await openTestStore();
  const store = storeOf("notes");
  const bad = [
    "",
    ":",
    ":a",
    "a:",
    "a::b",
    "../a",
    "a/b",
    "a\\b",
    "a?b",
    "a b",
    "a\n",
    "é",
    "a\0",
    "x".repeat(600),
  ];
  for (const key of bad) {
    await expect(store.get(key), key).rejects.toThrow(TypeError);
    await expect(store.set(key, {}), key).rejects.toThrow(TypeError);
    await expect(store.remove(key), key).rejects.toThrow(TypeError);
    await expect(
      store.batch([
        { type: "set", key: "fine", value: {} },
        { type: "remove", key },
      ]),
      key,
    ).rejects.toThrow(TypeError);
  }
  expect(await engine.keys("")).toEqual([]);
});

test("whatever a user called it, an encoded part is one part of a key and comes back", async () => {
  const { storeOf } = await openTestStore();
  const store = storeOf("notes");
  const text = anyText(20).filter((each) => each !== "");
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(text, { minLength: 1, maxLength: 40 }),
      async (texts) => {
        const keyOf = (each: string) => `by-name:${keyPart(each)}`;
        await store.batch(
          texts.map((each) => ({
            type: "set",
            key: keyOf(each),
            value: { text: each },
          })),
        );
        expect(await store.keys("by-name:")).toHaveLength(texts.length);
        for (const each of texts)
          expect(await store.get(keyOf(each))).toEqual({ text: each });
        await store.batch(
          texts.map((each) => ({ type: "remove", key: keyOf(each) })),
        );
      },
    ),
    { numRuns: runs(15) },
  );
  expect(await store.keys("")).toEqual([]);
});

test("a listing goes page by page from either end", async () => {
  const { storeOf } = await openTestStore();
  const store = storeOf("notes");
  await store.batch(
    ["b:0", "a:1", "a:2", "a:3", "c:0"].map((key) => ({
      type: "set",
      key,
      value: {},
    })),
  );
  for (const reverse of [false, true]) {
    const keys: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list("a:", { limit: 2, cursor, reverse });
      keys.push(...page.items.map(({ key }) => key));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    const expected = ["a:1", "a:2", "a:3"];
    expect(keys).toEqual(reverse ? expected.reverse() : expected);
  }
});

test("a cursor cannot lead to another plugin's keys", async () => {
  const { storeOf } = await openTestStore();
  await storeOf("auth").set("secret", {});
  await storeOf("notes").set("a", {});
  for (const key of [
    "auth:",
    "auth:secret",
    "notes",
    "notes;",
    "kernel:event:0",
  ]) {
    const cursor = Buffer.from(key).toString("base64url");
    await expect(
      storeOf("notes").list("", { cursor }),
      key,
    ).rejects.toMatchObject({
      code: "BAD_CURSOR",
      status: 400,
    });
  }
});
