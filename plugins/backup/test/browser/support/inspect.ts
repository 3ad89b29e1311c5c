import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { isThorough, keepPicture } from "@gantry/build/testing";
import { expect } from "vitest";

/** Keeps pictures of the page, and looks for what keeps people from using it; in the dark too, where that is asked for. */
export async function inspect(
  page: Page,
  name: string,
  within = "main",
): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 };
  const schemes = isThorough
    ? (["light", "dark"] as const)
    : (["light"] as const);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await page
      .locator(colorScheme === "dark" ? "html.dark" : "html:not(.dark)")
      .waitFor();
    await keepPicture(page, `backup/${name}-${width}-${colorScheme}`);
    expect(
      await findBarriers(
        page,
        // What is not about colours is the same in both.
        colorScheme === "dark"
          ? { within, rules: ["color-contrast"] }
          : { within },
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
