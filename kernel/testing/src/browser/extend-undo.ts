import type { Page } from "playwright-core";
import { readPatience } from "../../../../tooling/bootstrap/patience.mjs";

/** Undo is offered for more than this, and no other timer of a page is as long. */
const MAX_OTHER_TIMER_MS = 5_000;

/**
 * Lets a page offer Undo for at least a minute instead of seconds, which a busy machine may need for a click. Call it once
 * the page is loaded.
 *
 * @example
 * await extendUndo(page);
 * await page.getByRole("button", { name: "Delete" }).click();
 * await page.getByRole("button", { name: "Undo" }).click();
 */
export async function extendUndo(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const start = window.setTimeout.bind(window);
    window.setTimeout = (run, ms, ...rest) =>
      start(run, ms > ${MAX_OTHER_TIMER_MS} ? ${60_000 * readPatience()} : ms, ...rest);
  })()`);
}
