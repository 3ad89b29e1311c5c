import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Waits for a picture of the size that the page is to have: one of the size before moves below the pointer. */
export async function waitForPicture(page: Page): Promise<void> {
  await page.getByText("Opening the page").waitFor({ state: "detached" });
  const free = () =>
    page.locator("[data-picture]").evaluate((picture) => {
      const place = picture.parentElement!.getBoundingClientRect();
      const { width, height } = picture.getBoundingClientRect();
      return Math.max(place.width - width, place.height - height);
    });
  await expect.poll(free).toBeLessThan(1);
}
