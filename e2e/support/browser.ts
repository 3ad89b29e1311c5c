import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Daemon } from "./daemon.ts";
import { findChromium } from "../../tooling/bootstrap/chromium.mjs";

/** Path of the browser, `undefined` if this machine has none. */
export const chromiumPath: string | undefined = findChromium();

const ARTIFACTS = fileURLToPath(new URL("../../artifacts/", import.meta.url));

/** Without these it would try to reach the maker's hosts, which is not what is tested. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts the browser. */
export function launchBrowser(
  ...moreArguments: readonly string[]
): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [...QUIET, ...moreArguments],
  });
}

/** A browser of one user, with what went wrong in it. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of scripts, of the console, and of the content security policy. */
  readonly faults: string[];
  /** Addresses outside the daemon that were asked for. */
  readonly strayRequests: string[];
}

/** Opens a fresh browser profile that watches itself. */
export async function openVisitor(
  browser: Browser,
  daemon: Daemon,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Visitor> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  const strayRequests: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  context.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    const isOurs = host === new URL(daemon.url).host;
    if (protocol.startsWith("http") && !isOurs) {
      strayRequests.push(request.url());
    }
  });
  return { context, page, faults, strayRequests };
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

/** Keeps a picture of a page among the artefacts of the run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const path = `${ARTIFACTS}screenshots/${name}.png`;
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path });
}
