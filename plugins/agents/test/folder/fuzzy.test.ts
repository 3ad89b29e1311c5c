import fc from "fast-check";
import { costGrowth, MAX_LINEAR_GROWTH } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { compareHits, fuzzyFind } from "../../src/folder/fuzzy.ts";

const toBytes = (paths: readonly string[]) =>
  Buffer.from(paths.map((path) => `${path}\0`).join(""));
const find = async (paths: readonly string[], query: string, limit = 20) =>
  (await fuzzyFind(toBytes(paths), query, limit, async () => {})).map(
    ({ path }) => path,
  );

const path = fc
  .array(fc.stringMatching(/^[a-cA-C_.é]{1,6}$/), {
    minLength: 1,
    maxLength: 4,
  })
  .map((names) => names.join("/"));
const paths = fc.uniqueArray(path, { maxLength: 60 });
const query = fc.stringMatching(/^[a-cA-C_./]{0,4}$/);

/** Whether the letters come in this order, said once more in another way. */
const isIn = (whole: string, letters: string) => {
  const escaped = [...letters].map((letter) => letter.replace(/[./]/, "\\$&"));
  return new RegExp(escaped.join(".*"), "is").test(whole);
};

test("whatever has the letters in their order is found, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(paths, query, async (all, letters) => {
      const found = await find(all, letters, all.length || 1);
      const expected = all.filter((one) => isIn(one, letters));
      expect([...found].sort()).toEqual([...expected].sort());
    }),
  );
});

test("a few are the first of many, whatever order they come in", async () => {
  await fc.assert(
    fc.asyncProperty(
      paths,
      query,
      fc.integer({ min: 1, max: 5 }),
      async (all, letters, limit) => {
        const whole = await fuzzyFind(
          toBytes(all),
          letters,
          100,
          async () => {},
        );
        expect(whole).toEqual([...whole].sort(compareHits));
        const few = whole.slice(0, limit).map((hit) => hit.path);
        expect(await find(all, letters, limit)).toEqual(few);
        expect(await find([...all].reverse(), letters, limit)).toEqual(few);
      },
    ),
  );
});

describe("the best comes first", () => {
  const files = [
    "src/routes/agents.ts",
    "src/agents/agent-book.ts",
    "docs/agents/readme.md",
    "test/routes/agents.test.ts",
    "src/index.ts",
    "ui/index.ts",
    "package.json",
    "src/live/turn-accounts.ts",
  ];
  test.each([
    ["agents.ts", "src/routes/agents.ts"],
    ["index", "ui/index.ts"],
    ["AB", "src/agents/agent-book.ts"],
    ["pack", "package.json"],
    ["src/index", "src/index.ts"],
    ["ta", "src/live/turn-accounts.ts"],
    ["read me", "docs/agents/readme.md"],
  ])("%s → %s", async (letters, best) => {
    expect((await find(files, letters))[0]).toBe(best);
  });
});

test(
  "a million paths are searched in linear time, and other work runs meanwhile",
  { tags: "thorough" },
  async () => {
    const listOf = (length: number) =>
      Buffer.from(
        Array.from(
          { length },
          (_, index) =>
            `packages/part-${index % 977}/src/module-${index % 31}/file-${index}.ts\0`,
        ).join(""),
      );
    let turns = 0;
    const pause = async () => {
      turns += 1;
      await new Promise(setImmediate);
    };
    const all = listOf(1_000_000);
    const [best] = await fuzzyFind(all, "f777777", 20, pause);
    expect(best?.path).toMatch(/file-777777\.ts$/);
    expect(turns).toBeGreaterThan(20);

    expect(
      await costGrowth(
        listOf,
        (list) => fuzzyFind(list, "f7777", 20, pause),
        3_000,
      ),
    ).toBeLessThan(MAX_LINEAR_GROWTH);
  },
);
