import type { Locator, Page } from "playwright-core";

/** A snippet in the list. */
export const row = (page: Page, title: string): Locator =>
  page
    .getByRole("list", { name: "Snippets" })
    .getByRole("listitem")
    .filter({ hasText: title });

/** Where the text of a snippet is written. */
export const body = (page: Page): Locator =>
  page.getByRole("textbox", { name: "Text of the snippet" });

export const composer = (page: Page): Locator =>
  page.getByRole("textbox", { name: /^Message to / });

export const picker = (page: Page): Locator =>
  page.getByRole("listbox", { name: "Snippets" });

export const dialog = (page: Page, name: string | RegExp): Locator =>
  page.getByRole("dialog", { name });

/** Writes into the editor of a body in place of what is there. */
export async function write(page: Page, text: string): Promise<void> {
  await body(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

export const pathOf = (page: Page): string => new URL(page.url()).pathname;
