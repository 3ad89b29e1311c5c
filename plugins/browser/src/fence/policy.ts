/** What an agent may do in the browser, from nothing to everything that the guard allows at all. */
export const TIERS = ["none", "read", "act", "full"] as const;
export type Tier = (typeof TIERS)[number];

/** What one agent may do in the browser, and where. */
export interface BrowserPolicy {
  agentId: string;
  tier: Tier;
  /**
   * Where it may go: `example.com`, `*.example.com`, `*` for all public sites, `localhost:PORT` for a port of this machine.
   * `*` never opens this machine or a private network.
   */
  sites: string[];
  /** Whether it may also open ports that its own processes listen on. */
  ownServers: boolean;
}

/**
 * The rules that apply to a profile's owner at the moment of a call. Read for each call, so that a change applies at
 * once.
 */
export interface Rules {
  tier: Tier;
  sites: readonly string[];
  /** Ports of this machine that the profile may open besides those named in `sites`; `"all"` for the user's own profile. */
  localPorts: ReadonlySet<number> | "all";
  /** Real path of the folder that files may be uploaded from; `null` for none. */
  folder: string | null;
}

/** The verdict of a check: `null` if allowed, else the reason as text for the user. */
export type Refusal = string | null;
