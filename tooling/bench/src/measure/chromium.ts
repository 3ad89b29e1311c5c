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
 * Starts the browser of this machine.
 *
 * @throws Error if there is none
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error(
      "There is no Chromium; install one, or name it in GANTRY_CHROMIUM.",
    );
  return chromium.launch({ executablePath, args: QUIET });
}
