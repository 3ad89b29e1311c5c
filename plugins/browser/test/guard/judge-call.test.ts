import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeCall } from "../../src/guard/judge-call.ts";
import { BROWSER_METHODS, PAGE_METHODS } from "../../src/guard/methods.ts";
import { TIERS } from "../../src/records/schemas.ts";
import {
  findWrongVerdicts,
  LISTED_METHODS,
} from "./support/find-wrong-verdicts.ts";

test("each call is judged as it has to be", () => {
  expect(findWrongVerdicts(judgeCall)).toEqual([]);
});

test("the tables have no other methods", () => {
  const listed = (level: string) =>
    LISTED_METHODS.filter(([at]) => at === level).map(([, , name]) => name);
  expect([...BROWSER_METHODS.keys()].sort()).toEqual(listed("browser").sort());
  expect([...PAGE_METHODS.keys()].sort()).toEqual(listed("page").sort());
});

const names = LISTED_METHODS.map(([, , name]) => name);
const params = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      ...["url", "urls", "files", "backendNodeId", "backendNodeIds", "clip"],
      ...["commands", "modifiers", "key", "button", "buttons", "requestId"],
      ...["headers", "domain", "width", "height", "__proto__", "constructor"],
    ),
    fc.string(),
  ),
  fc.jsonValue(),
);

test("no call makes it throw, a lower tier allows nothing more, and what is allowed is in the list", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...names), fc.string()),
      params,
      fc.constantFrom("page" as const, "browser" as const),
      fc.boolean(),
      (method, given, level, isRefused) => {
        const seen: string[] = [];
        const verdicts = TIERS.map((tier) =>
          judgeCall(
            { method, params: given, level },
            {
              tier,
              judgeUrl: (url) => {
                seen.push(url);
                return isRefused ? "refused" : null;
              },
              judgeFile: () => (isRefused ? "refused" : null),
              isKnownNode: () => !isRefused,
              urlOfRequest: () => "http://allowed.test/",
            },
          ),
        );
        const allowed = verdicts.map(({ refusal }) => refusal === null);
        expect(allowed).toEqual(allowed.toSorted());
        expect(allowed[0]).toBe(false);
        if (!allowed.includes(true)) return;
        expect(
          LISTED_METHODS.some(
            ([at, , name]) => at === level && name === method,
          ),
        ).toBe(true);
        // An address of a page is judged, whatever else is given.
        if (isRefused && typeof given["url"] === "string")
          expect(seen).not.toContain(given["url"]);
      },
    ),
    { numRuns: runs(500) },
  );
});
