/** Hosts whose refusals are remembered. */
const MAX_REFUSALS = 100;

/** Why the network access refused a connection of a browser. */
export interface NetworkRefusal {
  host: string;
  port: number;
  /** As text for the user, such as `it is on this machine`. */
  reason: string;
}

/** Remembers the latest refusals of one browser, to tell why a page was not reached. */
export class RefusalMemory {
  readonly #reasons = new Map<string, string>();

  note({ host, port, reason }: NetworkRefusal): void {
    const key = `${host}:${port}`;
    this.#reasons.delete(key);
    this.#reasons.set(key, reason);
    const [oldest] = this.#reasons.keys();
    if (this.#reasons.size > MAX_REFUSALS && oldest !== undefined)
      this.#reasons.delete(oldest);
  }

  /** Why the page of an address is not shown, and what to do. */
  describe(url: string): string {
    const { hostname, port, protocol } = URL.parse(url) ?? {};
    const key = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
    const reason = this.#reasons.get(key);
    return reason === undefined
      ? "The page was not reached. Check its address and whether its server runs, then close the tab and open it again."
      : `The address was refused: ${reason}.`;
  }
}

/** What to tell of a page whose process ended; `status` is Chromium's own word. */
export function describeCrash(status: string): string {
  return status === "oom"
    ? "The page ran out of memory. Close the tab, or open the page again."
    : "The page crashed. Close the tab, or open the page again.";
}

/** What to tell of a page that opens too many tabs. */
export function describeTooManyTabs(limit: number): string {
  return `This page opened more tabs than a browser may have (${limit}). Those over the limit were closed.`;
}
