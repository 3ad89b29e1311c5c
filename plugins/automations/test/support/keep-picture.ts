import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const pictures = fileURLToPath(
  new URL("../../../../artifacts/automations/", import.meta.url),
);

/** Keeps what a page looks like, for people. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${pictures}${name}.png` });
}
