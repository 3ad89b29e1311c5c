import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { findChromium } from "../../../bootstrap/chromium.mjs";

const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Starts the browser of this machine. It is closed when the signal aborts.
 *
 * @throws Error if there is none
 */
export async function launchBrowser(signal: AbortSignal): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error(
      "There is no Chromium; install one, or name it in GANTRY_CHROMIUM.",
    );
  signal.throwIfAborted();
  const browser = await chromium.launch({
    executablePath,
    args: QUIET,
    // Its own handlers would end this process before anything else is put away.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  // Whatever waits for a page then fails.
  signal.addEventListener("abort", () => void browser.close());
  return browser;
}
