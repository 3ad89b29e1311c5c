import { normalizeSite } from "../records/normalize-site.ts";

/** Opened addresses that are remembered; the oldest is forgotten first. */
const MAX_OPENED = 200;

/**
 * Sites that the user's own browser may reach: all public ones, and of this machine and of private networks the host and
 * port of each address that the user opened. Pages cannot reach these by themselves, since many services there trust
 * every client.
 */
export class UserSites {
  readonly #opened = new Set<string>();
  #list: readonly string[] = ["*"];

  get list(): readonly string[] {
    return this.#list;
  }

  /** Allows the host and port of an address that the user opened, until the plugin stops. */
  add(url: string): void {
    const { protocol, hostname, port } = new URL(url);
    const site = normalizeSite(
      `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`,
    );
    if (site === undefined) return;
    this.#opened.delete(site);
    this.#opened.add(site);
    for (const oldest of this.#opened) {
      if (this.#opened.size <= MAX_OPENED) break;
      this.#opened.delete(oldest);
    }
    this.#list = ["*", ...this.#opened];
  }
}
