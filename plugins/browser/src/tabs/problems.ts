import type { ProfileOwner } from "../chromium/browser-pool.ts";
import type { FailedConnection } from "../egress/open-egress.ts";

/** Hosts and ports whose last failed connection is remembered. */
const MAX_FAILURES = 100;

/** How an address that was refused may be allowed. */
const WAYS_ON: Readonly<Record<ProfileOwner["kind"], string>> = {
  user: "If you trust it, open it in a tab of its own.",
  agent: "What this agent may open is chosen on the page Agents.",
};

/** Remembers the latest failed connections of one browser, to tell why a page was not reached. */
export class FailureMemory {
  readonly #owner: ProfileOwner["kind"];
  readonly #failures = new Map<string, FailedConnection>();

  constructor(owner: ProfileOwner["kind"]) {
    this.#owner = owner;
  }

  note(failed: FailedConnection): void {
    const key = `${failed.host}:${failed.port}`;
    this.#failures.delete(key);
    this.#failures.set(key, failed);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES && oldest !== undefined)
      this.#failures.delete(oldest);
  }

  /** Why the page of an address is not shown, and what to do. */
  describe(url: string): string {
    const { hostname, port, protocol } = URL.parse(url) ?? {};
    const key = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
    const failed = this.#failures.get(key);
    if (failed?.isRefused)
      return `The address was refused: ${failed.reason}. ${WAYS_ON[this.#owner]}`;
    const reason = failed ? `: ${failed.reason}` : "";
    return `The page was not reached${reason}. Check its address and whether its server runs, then open it again.`;
  }
}

/** Text about a page whose process ended; `status` is Chromium's own word. */
export function describeCrash(status: string): string {
  return status === "oom"
    ? "The page ran out of memory. Close the tab, or open the page again."
    : "The page crashed. Close the tab, or open the page again.";
}

/** Text about a page that opens too many tabs. */
export function describeTooManyTabs(limit: number): string {
  return `This page opened more tabs than a browser may have (${limit}). Those over the limit were closed.`;
}
