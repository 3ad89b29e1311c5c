import type { ProtocolConnection } from "../protocol/protocol-connection.ts";

/** Owner of a profile: the user, or one agent. */
export type ProfileOwner =
  { kind: "user" } | { kind: "agent"; agentId: string };

/** A Chromium that runs with one profile. */
export interface RunningBrowser {
  /** `user`, or the id of the agent. */
  readonly profileId: string;
  readonly owner: ProfileOwner;
  readonly protocol: ProtocolConnection;
  readonly pid: number;
  /** Such as `156.0.8078.73`. */
  readonly version: string;
  /** Folder of downloads in progress, writable for the browser. */
  readonly downloadFolder: string;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  /** Copies a file to where this browser may read it. Returns its path there. */
  copyToBrowser(file: string, name: string): Promise<string>;
  /** Resolves with the reason when the browser has ended. */
  readonly ended: Promise<"idle" | "asked" | "crashed" | "evicted">;
}

/** The running browsers: at most four, one for each profile. */
export interface BrowserPool {
  /**
   * Returns the browser of a profile, which it starts if it is not running. Concurrent calls share one start.
   *
   * @throws `BROWSER_MISSING` (503), `BROWSER_SANDBOX` (503), `BROWSER_LIMIT` (409), `BROWSER_FAILED` (502)
   */
  open(owner: ProfileOwner, signal?: AbortSignal): Promise<RunningBrowser>;
  /** The running browser of this profile. */
  get(profileId: string): RunningBrowser | undefined;
  all(): readonly RunningBrowser[];
  /**
   * Keeps a browser from being ended or evicted until the returned function is called. Viewers and calls in progress
   * hold it.
   */
  hold(browser: RunningBrowser): () => void;
  /** Ends one cleanly, keeping its profile. */
  end(profileId: string): Promise<void>;
  /** Ends it and removes its profile, with cookies and files. */
  forget(profileId: string): Promise<void>;
  /**
   * Calls back for each browser that has started, before any other code can use it. Returns a function that removes the
   * listener.
   */
  onStart(
    prepare: (browser: RunningBrowser) => Promise<void> | void,
  ): () => void;
}
