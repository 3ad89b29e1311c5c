import type { Locator, Page } from "playwright-core";

/** A snapshot in the list. */
export const row = (page: Page, id: string): Locator =>
  page.locator(`[data-snapshot="${id}"]`);

export const rows = (page: Page): Locator =>
  page.getByRole("list", { name: "Snapshots" }).getByRole("listitem");

export const dialog = (page: Page, name: string | RegExp): Locator =>
  page.getByRole("dialog", { name });

/** Chooses something in the menu of a snapshot. */
export async function choose(
  page: Page,
  id: string,
  label: string,
): Promise<void> {
  await row(page, id)
    .getByRole("button", { name: /^More to do/ })
    .click();
  await page.getByRole("menuitem", { name: label }).click();
}

export const pathOf = (page: Page): string => new URL(page.url()).pathname;
