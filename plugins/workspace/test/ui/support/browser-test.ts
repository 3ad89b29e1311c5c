import { afterAll, beforeAll, test } from "vitest";
import { chromiumPath } from "./e2e.ts";
import { openBench, type Bench } from "./browser-bench.ts";

/** A test in a browser; left out where there is none. */
export function browserTest(name: string, body: () => Promise<void>): void {
  test.skipIf(!chromiumPath)(name, body);
}

/** One daemon and one browser for all tests of a file. The function gives them. */
export function useBench(
  options?: Parameters<typeof openBench>[0],
): () => Bench {
  let bench: Bench | undefined;
  beforeAll(async () => {
    if (chromiumPath) bench = await openBench(options);
  });
  afterAll(() => bench?.[Symbol.asyncDispose]());
  return () => {
    if (!bench) throw new Error("There is no browser on this machine.");
    return bench;
  };
}
