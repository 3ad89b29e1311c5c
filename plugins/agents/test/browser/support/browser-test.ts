import { afterAll, beforeAll, test } from "vitest";
import { chromiumPath } from "./e2e.ts";
import { openHouse, type House } from "./house.ts";

type Body = () => Promise<void>;

/** A test in a browser; left out where there is none. */
export function browserTest(name: string, body: Body): void;
export function browserTest(
  name: string,
  options: { tags: string },
  body: Body,
): void;
export function browserTest(
  name: string,
  ...rest: [Body] | [{ tags: string }, Body]
): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest;
  // `skipIf` would say that a test with a tag is not skipped.
  const add = chromiumPath ? test : test.skip;
  add(name, options, body);
}

/** One daemon and one browser for all tests of a file. The function gives them. */
export function useHouse(
  options?: Parameters<typeof openHouse>[0],
): () => House {
  let house: House | undefined;
  beforeAll(async () => {
    if (chromiumPath) house = await openHouse(options);
  });
  afterAll(() => house?.[Symbol.asyncDispose]());
  return () => {
    if (!house) throw new Error("There is no browser on this machine.");
    return house;
  };
}
