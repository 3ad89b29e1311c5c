import { expect, test } from "vitest";
import * as z from "zod";
import { isGantryError } from "@gantry/plugin";
import { describeIssue, schemaError } from "@gantry/http/input-error";

test.each([
  [z.string().min(1), "", "must not be empty"],
  [z.string().min(2), "a", "must have at least 2 characters"],
  [z.string().max(1), "ab", "must have at most 1 character"],
  [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 entries"],
  [z.array(z.string()).min(1), [], "must not be empty"],
  [z.number().min(15), 3, "must be at least 15"],
  [z.number().max(15), 30, "must be at most 15"],
  [z.number().gt(0), 0, "must be more than 0"],
  [z.number().int(), 0.5, "must be a whole number"],
  [z.string(), 5, "must be a text"],
  [z.string(), undefined, "is missing"],
  [z.number(), undefined, "is missing"],
  [z.boolean(), "yes", "must be true or false"],
  [z.array(z.string()), {}, "must be a list"],
  [z.enum(["prompt", "command"]), "x", "must be one of prompt, command"],
  [z.literal(1), 2, "must be 1"],
  [z.iso.datetime(), "now", "must be a time such as 2026-01-31T09:00:00.000Z"],
  [z.url(), "x", "must be a whole address, such as https://example.org/"],
  [z.string().regex(/^a/), "b", "does not have the right form"],
  [
    z.string().min(3, "is too short for a name"),
    "b",
    "is too short for a name",
  ],
])("%# says what a value must be", (schema, value, words) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  expect(describeIssue(issue!)).toBe(words);
});

const change = z.union([
  z.strictObject({ paths: z.array(z.string()).max(2) }),
  z.strictObject({ hunk: z.strictObject({ path: z.string() }) }),
]);

test.each([
  [{ id: "x", paths: [] }, [{ path: "id", message: "unknown field" }]],
  [
    { id: "x" },
    [
      { path: "paths", message: "is missing" },
      { path: "id", message: "unknown field" },
    ],
  ],
  [{ hunk: {} }, [{ path: "hunk.path", message: "is missing" }]],
  [{ paths: ["", 5] }, [{ path: "paths.1", message: "must be a text" }]],
  [5, [{ path: "", message: "must be an object" }]],
])("of a union, %j is told what the nearest of them finds", (value, named) => {
  const within = (prefix: string) =>
    named.map((issue) => ({
      ...issue,
      path: [prefix, issue.path].filter(Boolean).join("."),
    }));
  for (const [schema, input, wanted] of [
    [change, value, named],
    [z.object({ change }), { change: value }, within("change")],
  ] as const) {
    const { issues } = schema.safeParse(input).error!;
    const error = schemaError("body", issues);
    expect(isGantryError(error) && error.extras.errors).toEqual(wanted);
  }
});
