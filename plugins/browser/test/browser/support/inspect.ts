import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const pictures = fileURLToPath(
  new URL("../../../../../artifacts/browser/", import.meta.url),
);

/** Takes screenshots of the page in light and dark mode, and reports accessibility and layout problems. */
export async function inspect(
  page: Page,
  name: string,
  within = "main",
): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  const { width } = page.viewportSize() ?? { width: 0 };
  for (const colorScheme of ["light", "dark"] as const) {
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
        // Findings that do not concern colours are the same in both modes.
        colorScheme === "dark"
          ? { within, rules: ["color-contrast"] }
          : { within },
      ),
      `${name}, ${colorScheme}`,
    ).toEqual([]);
  }
  expect(await page.evaluate(findOverflow), name).toEqual([]);
}

/** Lists elements that exceed the screen, or that make the document scroll behind the page. */
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
