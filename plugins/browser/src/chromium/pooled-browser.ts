import type { Clock } from "@gantry/plugin";
import type { Egress } from "../egress/open-egress.ts";
import type { ProtocolConnection } from "../protocol/protocol-connection.ts";
import { toProfileId } from "./browser-pool.ts";
import type {
  EndReason,
  ProfileOwner,
  RunningBrowser,
} from "./browser-pool.ts";
import type { StartedBrowser } from "./start-browser.ts";

/** How long a browser without viewers or calls keeps running. */
export const IDLE_MS = 10 * 60_000;

/** One browser of the pool: its holders, its idle time and its shutdown. */
export class PooledBrowser implements RunningBrowser {
  readonly profileId: string;
  readonly owner: ProfileOwner;
  readonly protocol: ProtocolConnection;
  readonly pid: number;
  readonly downloadFolder: string;
  readonly isForeign: boolean;
  readonly version: string;
  readonly startedAt: string;
  readonly ended: Promise<EndReason>;
  /** Resolves when its processes are gone, and its profile may be opened again. */
  readonly exited: Promise<void>;
  /** Monotonic time of the last use. */
  lastUsed: number;
  readonly #started: StartedBrowser;
  readonly #clock: Clock;
  #holders = 0;
  #reason: EndReason | undefined;
  #stopIdleTimer = () => {};
  #announceEnding = () => {};

  constructor(options: {
    started: StartedBrowser;
    owner: ProfileOwner;
    egress: Egress;
    clock: Clock;
  }) {
    const { started, egress, clock } = options;
    this.profileId = toProfileId(options.owner);
    this.owner = options.owner;
    this.protocol = started.protocol;
    this.pid = started.process.pid;
    this.downloadFolder = started.downloadFolder;
    this.isForeign = started.isForeign;
    this.version = started.version;
    this.startedAt = clock.timestamp();
    this.lastUsed = clock.monotonic();
    this.#started = started;
    this.#clock = clock;
    this.ended = started.protocol.closed.then(() => this.#reason ?? "crashed");
    this.exited = started.protocol.closed.then(async () => {
      // A crash may leave child processes behind; a browser that ended by itself has none, and then this costs nothing.
      this.#finish();
      await started.process.end();
      await egress.close();
    });
    this.#startIdleTimer();
  }

  get isHeld(): boolean {
    return this.#holders > 0;
  }

  /** Calls back once, when it begins to end for any reason. */
  onEnding(listener: () => void): void {
    this.#announceEnding = listener;
  }

  /** Marks the browser as used now. */
  touch(): void {
    this.lastUsed = this.#clock.monotonic();
    this.#startIdleTimer();
  }

  hold(): () => void {
    this.#holders++;
    this.touch();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#holders--;
      this.touch();
    };
  }

  /** Starts the shutdown; wait for {@link exited}. Idempotent. */
  end(reason: EndReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#finish();
    void this.#started.close();
  }

  abandon(): void {
    if (this.#reason !== undefined) return;
    this.#reason = "unresponsive";
    this.#finish();
    void this.#started.process.kill();
  }

  #finish(): void {
    this.#stopIdleTimer();
    this.#announceEnding();
    this.#announceEnding = () => {};
  }

  #startIdleTimer(): void {
    this.#stopIdleTimer();
    this.#stopIdleTimer = () => {};
    const hasEnded = this.#reason !== undefined || this.protocol.isClosed;
    if (hasEnded || this.#holders > 0) return;
    this.#stopIdleTimer = this.#clock.after(IDLE_MS, () => this.end("idle"));
  }
}
