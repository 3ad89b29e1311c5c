import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import type { Collection } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { openTestStore } from "./support/store.ts";

const Item = z.object({
  ...storedFields,
  state: z.string(),
  rank: z.string().nullable(),
});
type Item = z.infer<typeof Item>;

const definition = {
  name: "item",
  version: 1,
  schema: Item,
  indexes: {
    state: ({ state }: Item) => [state],
    rank: ({ rank, state }: Item) =>
      rank === null ? undefined : [rank, state],
  },
};

const fields = fc.record({
  state: fc.constantFrom("open", "done", "", "a b", "\ud800"),
  rank: fc.option(fc.constantFrom("1", "2", "3")),
});
const id = fc.oneof(
  fc.integer({ min: 0, max: 6 }).map((n) => `itm_${n}`),
  fc.constantFrom("itm_a:b/ü", "itm_half \ud800"),
);

/** One thing that happens to a collection. */
const step = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), id, fields }),
  fc.record({ kind: fc.constant("update" as const), id, fields }),
  fc.record({ kind: fc.constant("remove" as const), id }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function apply(
  items: Collection<Item>,
  model: Map<string, Item>,
  step: Step,
) {
  const known = model.get(step.id);
  if (step.kind === "insert") {
    if (known) return;
    model.set(step.id, await items.insert({ id: step.id, ...step.fields }));
  } else if (step.kind === "update") {
    const changed = await items.update(step.id, (record) => ({
      record: { ...record, ...step.fields },
    }));
    expect(changed === undefined).toBe(known === undefined);
    if (changed) model.set(step.id, changed);
  } else {
    expect(await items.remove(step.id)).toEqual(known);
    model.delete(step.id);
  }
}

async function allOf(
  items: Collection<Item>,
  options: Parameters<Collection<Item>["list"]>[0],
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await items.list({ ...options, limit: 2, cursor });
    found.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return found;
}

const byId = (a: Item, b: Item) => (a.id < b.id ? -1 : 1);

test("records and indexes stay in step whatever happens, and nothing else is left in the store", async () => {
  const { storeOf, engine, clock } = await openTestStore();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const owner = `run-${++run}`;
      const items = storeOf(owner).collection(definition);
      const model = new Map<string, Item>();
      for (const each of steps) {
        await clock.advance(1);
        await apply(items, model, each);
      }
      const expected = [...model.values()];
      const newest = await allOf(items, {});
      expect(newest).toEqual(
        expected.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
      );
      for (const state of ["open", "done", "", "a b"]) {
        const found = await allOf(items, { index: "state", prefix: [state] });
        expect(found.toSorted(byId)).toEqual(
          expected.filter((item) => item.state === state).toSorted(byId),
        );
      }
      const ranked = expected.filter(({ rank }) => rank !== null);
      const inOrder = await allOf(items, { index: "rank", order: "ascending" });
      expect(inOrder.toSorted(byId)).toEqual(ranked.toSorted(byId));
      expect(inOrder.map(({ rank }) => rank)).toEqual(
        ranked.map(({ rank }) => rank).toSorted(),
      );
      expect(await items.count("rank", [], 100)).toBe(ranked.length);
      // A record, its place among the newest and by state, and by rank if it has one.
      const keys = await engine.keys(`${owner}:`);
      expect(keys).toHaveLength(expected.length * 3 + ranked.length);
    }),
    { numRuns: runs(60) },
  );
});
