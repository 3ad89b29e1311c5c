import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { watchPage } from "@gantry/plugin-testing/browser";
import type { PageWatch } from "@gantry/plugin-testing/browser";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Daemon } from "./daemon.ts";

export {
  chromiumPath,
  launchBrowser,
  viewingChromiumPath,
} from "@gantry/plugin-testing/browser";

const ARTIFACTS = fileURLToPath(new URL("../../artifacts/", import.meta.url));

/** A browser of one user, with what went wrong in it. */
export interface Visitor extends PageWatch {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Opens a fresh browser profile that watches itself. */
export async function openVisitor(
  browser: Browser,
  daemon: Daemon,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Visitor> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  return { context, page, ...watchPage(page, new URL(daemon.url).origin) };
}

/**
 * Pairs a browser through the link that the daemon printed, as a user does. That a browser which is not paired yet is
 * told so is no fault; everything else that went wrong stays in the visitor's list.
 */
export async function pairVisitor(
  { page, faults }: Visitor,
  daemon: Daemon,
): Promise<void> {
  await page.goto(daemon.pairUrl);
  await page.getByRole("button", { name: "Pair this browser" }).click();
  await page.getByRole("navigation").first().waitFor();
  const others = faults.filter((fault) => !fault.includes("status of 401"));
  faults.splice(0, faults.length, ...others);
}

/** Keeps a picture of a page where a test failed, in any run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const path = `${ARTIFACTS}screenshots/${name}.png`;
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path });
}
