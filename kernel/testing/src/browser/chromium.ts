import { chromium } from "playwright-core";
import type { Browser, LaunchOptions } from "playwright-core";
import { findChromium } from "../../../../tooling/bootstrap/chromium.mjs";

/** Path of the browser: `GANTRY_CHROMIUM`, else an installed one; `undefined` if this machine has none. */
export const chromiumPath: string | undefined = findChromium();

/** Path of a browser with built-in viewers, for PDF for example; `undefined` if this machine has none. */
export const viewingChromiumPath: string | undefined = findChromium(
  process.env,
  { hasViewers: true },
);

/** Without these it would contact its vendor's hosts, which is not under test. */
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
 * Starts this machine's browser, which contacts only the pages that it opens. `args` are added to the ones that prevent
 * other requests.
 *
 * @throws Error if there is no browser
 */
export function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    ...options,
    args: [...QUIET, ...(options.args ?? [])],
  });
}
