import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createEntryWriter } from "../src/entry-writer.ts";
import { ConflictError } from "../src/range-driver.ts";
import type { WireOperation } from "../src/range-driver.ts";

const key = fc.constantFrom("a", "a:1", "a:2", "b", "b:1");
const operation = fc.oneof(
  fc.record({ type: fc.constant("set" as const), key, value: fc.string() }),
  fc.record({ type: fc.constant("remove" as const), key }),
  fc.record({
    type: fc.constant("absent" as const),
    key,
    isPrefix: fc.boolean(),
  }),
);

/** Applies a batch one operation at a time; `undefined` if a condition is not met. */
function applySimply(
  entries: ReadonlyMap<string, string>,
  operations: readonly WireOperation[],
): Map<string, string> | undefined {
  const next = new Map(entries);
  for (const one of operations) {
    if (one.type === "set") next.set(one.key, one.value);
    else if (one.type === "remove") next.delete(one.key);
    else
      for (const taken of next.keys())
        if (one.isPrefix ? taken.startsWith(one.key) : taken === one.key)
          return undefined;
  }
  return next;
}

test("a batch leaves what its operations leave one after the other, or nothing if a condition is not met", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(operation, { maxLength: 20 }), { maxLength: 6 }),
      (batches) => {
        using database = new DatabaseSync(":memory:");
        database.exec(
          "CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        );
        const writer = createEntryWriter(database);
        let model: Map<string, string> = new Map();
        for (const batch of batches) {
          const expected = applySimply(model, batch);
          database.exec("BEGIN");
          try {
            writer.apply(batch);
            database.exec("COMMIT");
            expect(expected).toBeDefined();
          } catch (error) {
            database.exec("ROLLBACK");
            if (!(error instanceof ConflictError)) throw error;
            expect(expected).toBeUndefined();
          }
          model = expected ?? model;
          const rows = database
            .prepare("SELECT key, value FROM entries ORDER BY key")
            .all();
          expect(rows.map((row) => [row["key"], row["value"]])).toEqual(
            [...model].sort(([one], [other]) => (one < other ? -1 : 1)),
          );
        }
      },
    ),
  );
});
