import { afterAll, beforeAll, test } from "vitest";
import { chromiumPath } from "./e2e.ts";
import { openBrowserStage, type BrowserStage } from "./browser-stage.ts";

/** Defines a test in a browser, skipped where none is installed. */
export function browserTest(name: string, body: () => Promise<void>): void {
  test.skipIf(!chromiumPath)(name, body);
}

/** Starts one daemon and one browser for all tests of a file. Returns a function that returns them. */
export function useBrowserStage(
  options?: Parameters<typeof openBrowserStage>[0],
): () => BrowserStage {
  let stage: BrowserStage | undefined;
  beforeAll(async () => {
    if (chromiumPath) stage = await openBrowserStage(options);
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());
  return () => {
    if (!stage) throw new Error("There is no browser on this machine.");
    return stage;
  };
}
