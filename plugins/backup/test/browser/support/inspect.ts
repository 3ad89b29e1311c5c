import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { isLongRun } from "@gantry/build/testing";

const pictures = fileURLToPath(
  new URL("../../../../../artifacts/backup/", import.meta.url),
);

const MAX_PHONE_WIDTH = 640;

/** Keeps pictures of the page in light on a desk and dark on a phone, in long runs in both on both, and looks for what keeps people from using it. */
export async function inspect(
  page: Page,
  name: string,
  within = "main",
): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  const { width } = page.viewportSize() ?? { width: 0 };
  const usual = width > MAX_PHONE_WIDTH ? "light" : "dark";
  const schemes = isLongRun ? (["light", "dark"] as const) : ([usual] as const);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await page
      .locator(colorScheme === "dark" ? "html.dark" : "html:not(.dark)")
      .waitFor();
    await page.screenshot({
      path: `${pictures}${name}-${width}-${colorScheme}.png`,
    });
    expect(
      await findBarriers(
        page,
        // What is not about colours is the same in both.
        colorScheme === usual
          ? { within }
          : { within, rules: ["color-contrast"] },
      ),
      `${name}, ${colorScheme}`,
    ).toEqual([]);
  }
  expect(await page.evaluate(findOverflow), name).toEqual([]);
}

/** Names what reaches over the edge of the screen, or makes the document scroll behind the page. */
const findOverflow = `(() => {
  const found = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push("document " + scrollWidth);
  for (const element of document.querySelectorAll("[data-page-scroll] *, [role=dialog] *")) {
    const { right, width } = element.getBoundingClientRect();
    if (width > 0 && right > innerWidth + 1 && !element.closest("pre, .truncate"))
      found.push(element.outerHTML.slice(0, 120));
  }
  return found;
})()`;
