import { afterAll, beforeAll, test } from "vitest";
import { chromiumPath } from "./e2e.ts";
import { openHouse, type House } from "./house.ts";

const timeout = 90_000;

/** A test in a browser; left out where there is none. */
export function browserTest(name: string, body: () => Promise<void>): void {
  test.skipIf(!chromiumPath)(name, { timeout }, body);
}

/** One daemon and one browser for all tests of a file. The function gives them. */
export function useHouse(
  options?: Parameters<typeof openHouse>[0],
): () => House {
  let house: House | undefined;
  beforeAll(async () => {
    if (chromiumPath) house = await openHouse(options);
  }, timeout);
  afterAll(() => house?.[Symbol.asyncDispose](), timeout);
  return () => {
    if (!house) throw new Error("There is no browser on this machine.");
    return house;
  };
}
