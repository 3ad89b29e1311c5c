import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, ImpactValue, RunOptions } from "axe-core";

/** What is used of a page in a driven browser; one of Playwright or Puppeteer has it. */
export interface EvaluatingPage {
  evaluate(script: string): Promise<unknown>;
}

/** What to look at. */
export interface BarrierOptions {
  /** CSS selector of the part of the page to look at; all of it unless said. */
  within?: string;
  /** Names of axe's rules to apply; all of them unless said. */
  rules?: readonly string[];
  /** How grave it has to be; everything unless said. */
  impacts?: readonly NonNullable<ImpactValue>[];
}

// A transition that is half-way has colours that no user reads.
const still =
  "*, ::before, ::after { animation: none !important; transition: none !important; }";

let source: string | undefined;

/**
 * Finds what keeps people from using a page: each as axe's rule, the place, and what is wrong there. Movement on the page
 * is stopped first. It runs axe in the page itself, which takes a tenth of the time of axe's own driver.
 *
 * @example expect(await findBarriers(page, { within: "main" })).toEqual([]);
 */
export async function findBarriers(
  page: EvaluatingPage,
  { within, rules, impacts }: BarrierOptions = {},
): Promise<string[]> {
  source ??= readFileSync(
    createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
    "utf8",
  );
  const options: RunOptions = {
    resultTypes: ["violations"],
    ...(rules ? { runOnly: [...rules] } : {}),
  };
  if (!(await page.evaluate("'axe' in window")))
    await page.evaluate(
      `document.head.append(Object.assign(document.createElement("style"), { textContent: ${JSON.stringify(still)} }));\n${source}`,
    );
  // The answer is what axe itself says of the page.
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(within ?? null)} ?? document, ${JSON.stringify(options)})`,
  )) as AxeResults;
  return violations
    .filter(({ impact }) => !impacts || (impact && impacts.includes(impact)))
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary = "" }) =>
          `${id} at ${target.join(" ")}: ${failureSummary.replace(/\s+/g, " ")}`,
      ),
    );
}
