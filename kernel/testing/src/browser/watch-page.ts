import type { Page } from "playwright-core";

/** What happened in a page since it was opened. */
export interface PageWatch {
  /** Errors of scripts, of the console, and of the content security policy. */
  readonly faults: string[];
  /** Requested paths of the page's own origin. */
  readonly asked: string[];
  /**
   * Requested addresses of other origins, by the page or by windows that it opened; without requests that the content
   * security policy blocked.
   */
  readonly stray: string[];
}

/** Records a page's errors, and its requests to other origins. */
export function watchPage(page: Page, origin: string): PageWatch {
  const watch: PageWatch = { faults: [], asked: [], stray: [] };
  page.on("pageerror", (error) => watch.faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") watch.faults.push(message.text());
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
  // A window is reported only after it has started to navigate.
  page.on("popup", (popup) => {
    if (popup.url() !== "about:blank") note(popup.url());
    watchRequests(popup, origin, watch);
  });
}
