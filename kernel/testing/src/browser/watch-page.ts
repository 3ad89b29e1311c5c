import type { Page } from "playwright-core";

/** What happened in a page since it was opened. */
export interface PageWatch {
  /** Errors of scripts, of the console, and of the content security policy. */
  readonly faults: string[];
  /** Paths of the page's own origin that were asked for. */
  readonly asked: string[];
  /**
   * Addresses elsewhere that were asked for, by the page or by windows that it opened; not what the content security
   * policy held back, which left nothing.
   */
  readonly stray: string[];
}

/** Watches a page for what goes wrong, and for what leaves its origin. */
export function watchPage(page: Page, origin: string): PageWatch {
  const watch: PageWatch = { faults: [], asked: [], stray: [] };
  page.on("pageerror", (error) => watch.faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    // Of what could not be loaded, the text does not say which address it had.
    watch.faults.push(`${message.text()} ${message.location().url}`.trim());
  });
  watchRequests(page, origin, watch);
  return watch;
}

function watchRequests(page: Page, origin: string, watch: PageWatch): void {
  function note(address: string): void {
    const { origin: asked, pathname, protocol } = new URL(address);
    if (asked === origin) watch.asked.push(pathname);
    else if (protocol !== "data:" && protocol !== "blob:")
      watch.stray.push(address);
  }
  page.on("request", (request) => note(request.url()));
  page.on("requestfailed", (request) => {
    const index = watch.stray.indexOf(request.url());
    if (index >= 0 && request.failure()?.errorText === "csp")
      watch.stray.splice(index, 1);
  });
  // A window is reported only after its first navigation.
  page.on("popup", (popup) => {
    if (popup.url() !== "about:blank") note(popup.url());
    watchRequests(popup, origin, watch);
  });
}
