import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, temporaryFolder } from "@gantry/build/testing";
import type { EventRecord } from "@gantry/plugin";
import { createStoreCore } from "@gantry/store/store-core";
import { createFakeClock } from "../../../testing/src/index.ts";
import { openSmallHome } from "../support/small-home.ts";
import type { StorePlace } from "../support/small-home.ts";
import { replaceWith } from "../support/whole-home.ts";

const places: readonly StorePlace[] = ["in the home", "outside"];

describe.each(places)("the numbers of events of a store %s", (place) => {
  test("continue behind all that were given when the home is replaced and opened again", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            counts: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }),
            end: fc.constantFrom("reopen", "replace", "merge"),
          }),
          { minLength: 2, maxLength: 5 },
        ),
        async (lives) => {
          const home = openSmallHome(await temporaryFolder(), place);
          const heard: EventRecord[] = [];
          let next = 1;
          for (const [life, { counts, end }] of lives.entries()) {
            await home.withWholeHome(async (wholeHome, engine) => {
              const core = await createStoreCore(engine, createFakeClock());
              expect(core.latestEventId()).toBe(next - 1);
              core.subscribe((events) => heard.push(...events));
              const write = async (count: number, at: number) => {
                const subject = `${life}-${at}`;
                const event = { type: "lists.added", subject, data: {} };
                const events = Array.from({ length: count }, () => event);
                await core.commit("lists", [], events);
              };
              const before = heard.length;
              await Promise.all(counts.map(write));
              for (const { id } of heard.slice(before)) expect(id).toBe(next++);
              const lists = [{ key: "lists:a", text: `{"life":${life}}` }];
              if (end !== "reopen")
                await replaceWith(
                  wholeHome,
                  { store: { lists } },
                  { mode: end },
                );
            });
            if (end !== "reopen")
              expect(await home.finish()).toMatchObject({ failure: null });
            // One number is left out, so that no place before it is one of the new store.
            if (end === "replace") next++;
          }
          expect(home.faults).toEqual([]);
          const total = lives.flatMap(({ counts }) => counts);
          expect(heard).toHaveLength(total.reduce((sum, n) => sum + n, 0));
        },
      ),
      { numRuns: runs(10) },
    );
  });
});
