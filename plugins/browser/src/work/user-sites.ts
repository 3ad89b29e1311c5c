import type { SiteRules } from "../fence/judge-site.ts";

/** Typed addresses that are remembered; the oldest is dropped first. */
const MAX_TYPED = 200;

/**
 * Addresses that the user's own browser may open: every public site, every port of this machine except Gantry's, and
 * addresses in the local network that the user has typed. Pages alone cannot reach the local network, since many
 * devices there trust every client.
 */
export class UserSites {
  readonly #typed = new Set<string>();
  #rules: SiteRules = { sites: ["*"], localPorts: "all" };

  get rules(): SiteRules {
    return this.#rules;
  }

  /** Allows an address that the user typed, until the daemon stops. */
  noteTyped(text: string): void {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) return;
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    const site = `${url.hostname}:${port}`;
    this.#typed.delete(site);
    this.#typed.add(site);
    for (const oldest of this.#typed) {
      if (this.#typed.size <= MAX_TYPED) break;
      this.#typed.delete(oldest);
    }
    this.#rules = { sites: ["*", ...this.#typed], localPorts: "all" };
  }
}
