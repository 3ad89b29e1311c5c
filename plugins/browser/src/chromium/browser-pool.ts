import type { ProtocolConnection } from "../protocol/protocol-connection.ts";

/** Owner of a profile: the user, or one agent. */
export type ProfileOwner =
  { kind: "user" } | { kind: "agent"; agentId: string };

/** Id of an owner's profile: `user`, or the id of the agent. */
export function toProfileId(owner: ProfileOwner): string {
  return owner.kind === "user" ? "user" : owner.agentId;
}

/** Why a browser ended; `evicted` when another one needed its place. */
export type EndReason =
  "idle" | "asked" | "crashed" | "evicted" | "unresponsive";

/** A Chromium that runs with one profile. */
export interface RunningBrowser {
  readonly profileId: string;
  readonly owner: ProfileOwner;
  readonly protocol: ProtocolConnection;
  readonly pid: number;
  /** Folder that its pages' downloads are written to. */
  readonly downloadFolder: string;
  /** Whether it runs under another account than the daemon, and reads none of the daemon's files. */
  readonly isForeign: boolean;
  /** Such as `156.0.8078.73`. */
  readonly version: string;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  /** Keeps it from being ended for idleness or evicted until the returned function is called. */
  hold(): () => void;
  /** Kills it at once, because it does not respond. */
  abandon(): void;
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<EndReason>;
}

/** The running browsers: at most four, one for each profile. */
export interface BrowserPool {
  /**
   * Returns the browser of a profile, which it starts if it is not running. Concurrent calls share one start.
   *
   * @throws `BROWSER_MISSING` (503), `BROWSER_SANDBOX` (503), `BROWSER_LIMIT` (409), `BROWSER_FAILED` (502),
   * `BROWSER_GONE` (502)
   */
  open(owner: ProfileOwner): Promise<RunningBrowser>;
  all(): readonly RunningBrowser[];
  /** Why the last start failed, as text for the user; `null` if it succeeded or there was none. */
  readonly problem: string | null;
  /** Ends the browser of a profile and removes the profile, with cookies and files. */
  forget(profileId: string): Promise<void>;
}
