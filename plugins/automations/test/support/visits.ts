import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import type { ScreenName, Visitor } from "@gantry/plugin-testing/browser";
import { startBrowserBench } from "./browser-bench.ts";
import type { BrowserBench } from "./browser-bench.ts";

/** Visits to the pages, one at a time, in one browser for all tests of a file. */
export interface Visits {
  readonly bench: BrowserBench;
  open(path: string, screen?: ScreenName): Promise<Page>;
  /** Leaves the page, after a check that it had no errors and sent requests to the daemon only. */
  leave(): Promise<void>;
  /** Says that what the page was answered until now is part of the test. */
  forgive(): void;
  /** The next run that starts after the page was opened, or after the one that was given before. */
  nextRun(): ReturnType<BrowserBench["agents"]["started"]>;
}

/** Starts the browser before the tests of the file, and ends it after them. */
export function createVisits(): Visits {
  let bench: BrowserBench;
  let visitor: Visitor;
  let runsSeen = 0;
  beforeAll(async () => {
    bench = await startBrowserBench();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  return {
    get bench() {
      return bench;
    },
    async open(path, screen = "desk") {
      runsSeen = bench.agents.runs.length;
      visitor = await bench.open(path, screen);
      return visitor.page;
    },
    leave: () => visitor.leave(),
    forgive() {
      visitor.faults.length = 0;
    },
    nextRun: () => bench.agents.started(runsSeen++),
  };
}

export const heading = (page: Page, name: string): Locator =>
  page.getByRole("heading", { name, level: 1 });

/** What the editor reads in a schedule. */
export const reading = (page: Page, words: string): Locator =>
  page.locator("fieldset p").filter({ hasText: words });

/** An automation in the list. */
export const row = (page: Page, name: string): Locator =>
  page
    .getByRole("list", { name: "Automations" })
    .getByRole("listitem")
    .filter({ hasText: name });

export const runs = (page: Page): Locator =>
  page.getByRole("list", { name: "Runs" });

/** By its role: the list's search field, a search box, has "name" in its label, and stays for a moment after a click. */
export const nameField = (page: Page): Locator =>
  page.getByRole("textbox", { name: /^Name/ });
