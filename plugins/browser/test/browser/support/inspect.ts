import { keepPicture } from "@gantry/build/testing";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Keeps pictures of the page in light and dark, and reports accessibility and layout problems. */
export async function inspect(page: Page, name: string): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page
      .locator(colorScheme === "dark" ? "html.dark" : "html:not(.dark)")
      .waitFor();
    await keepPicture(page, `browser/${name}-${width}-${colorScheme}`);
    expect(
      await findBarriers(
        page,
        // What is not about colours is the same in both.
        colorScheme === "dark"
          ? { within: "main", rules: ["color-contrast"] }
          : { within: "main" },
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
  for (const element of document.querySelectorAll("[data-page-scroll] *")) {
    const { right, width } = element.getBoundingClientRect();
    if (width > 0 && right > innerWidth + 1 && !element.closest("pre, .truncate"))
      found.push(element.outerHTML.slice(0, 120));
  }
  return found;
})()`;
