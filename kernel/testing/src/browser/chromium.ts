import { chromium } from "playwright-core";
import type { Browser, LaunchOptions } from "playwright-core";
import { findChromium } from "../../../../tooling/bootstrap/chromium.mjs";

/** Path of the browser: that in `GANTRY_CHROMIUM`, else one that is installed; `undefined` if this machine has none. */
export const chromiumPath: string | undefined = findChromium();

/** Path of a browser with viewers of its own, for a PDF say; `undefined` if this machine has none. */
export const viewingChromiumPath: string | undefined = findChromium(
  process.env,
  { hasViewers: true },
);

/** Without these it would try to reach its maker's hosts, which is not what is tested. */
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
 * Starts the browser of this machine, which sends requests only to the pages that it opens. `args` are added to those that
 * keep it quiet.
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
