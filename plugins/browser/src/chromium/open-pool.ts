import type { PluginContext } from "@gantry/plugin";
import type { BrowserConfig } from "../config.ts";
import { errors } from "../errors.ts";
import type {
  BrowserPool,
  ProfileOwner,
  RunningBrowser,
} from "./browser-pool.ts";
import { findChromium } from "./find-chromium.ts";
import { PooledBrowser } from "./pooled-browser.ts";
import { openProfiles } from "./profile.ts";
import type { Profiles } from "./profile.ts";
import { startBrowser } from "./start-browser.ts";

/** Browsers that may run at the same time. */
export const MAX_BROWSERS = 4;

/** Network access of one browser. */
export interface Egress {
  readonly port: number;
  readonly password: string;
  close(): Promise<void> | void;
}

/** Dependencies of {@link openBrowserPool}. */
export interface PoolOptions {
  ctx: Pick<PluginContext, "run" | "clock" | "log" | "own" | "home">;
  /** Folder for files of this machine, which no backup contains: `ctx.machineFolder`. */
  machineFolder(): Promise<string>;
  config: BrowserConfig;
  /** Opens the network access of a profile, before its browser starts. */
  openEgress(owner: ProfileOwner): Promise<Egress>;
}

/** Opens the pool. Its browsers end when the plugin stops. */
export function openBrowserPool(options: PoolOptions): BrowserPool {
  const pool = new ChromiumPool(options);
  options.ctx.own(() => pool.close());
  return pool;
}

/** Id of an owner's profile. */
export function toProfileId(owner: ProfileOwner): string {
  return owner.kind === "user" ? "user" : owner.agentId;
}

class ChromiumPool implements BrowserPool {
  readonly #options: PoolOptions;
  readonly #running = new Map<string, PooledBrowser>();
  readonly #starting = new Map<string, Promise<PooledBrowser>>();
  /** Browsers that are still writing their profiles, which must not be opened until they have ended. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #prepares = new Set<
    (browser: RunningBrowser) => Promise<void> | void
  >();
  #profiles: Promise<Profiles> | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async open(
    owner: ProfileOwner,
    signal?: AbortSignal,
  ): Promise<RunningBrowser> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw errors.BROWSER_GONE({});
    const profileId = toProfileId(owner);
    const running = this.#running.get(profileId);
    if (running) {
      running.touch();
      return running;
    }
    let start = this.#starting.get(profileId);
    if (!start) {
      start = this.#start(profileId, owner).finally(() =>
        this.#starting.delete(profileId),
      );
      this.#starting.set(profileId, start);
    }
    const browser = await start;
    signal?.throwIfAborted();
    return browser;
  }

  get(profileId: string): RunningBrowser | undefined {
    return this.#running.get(profileId);
  }

  all(): readonly RunningBrowser[] {
    return [...this.#running.values()];
  }

  hold(browser: RunningBrowser): () => void {
    return browser instanceof PooledBrowser ? browser.hold() : () => {};
  }

  async end(profileId: string): Promise<void> {
    await this.#starting.get(profileId)?.catch(() => {});
    this.#running.get(profileId)?.end("asked");
    await this.#ending.get(profileId);
  }

  async forget(profileId: string): Promise<void> {
    await this.end(profileId);
    await (await this.#openProfiles()).remove(profileId);
  }

  onStart(
    prepare: (browser: RunningBrowser) => Promise<void> | void,
  ): () => void {
    this.#prepares.add(prepare);
    return () => void this.#prepares.delete(prepare);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#starting.values());
    for (const browser of this.#running.values()) browser.end("asked");
    await Promise.allSettled(this.#ending.values());
  }

  async #start(profileId: string, owner: ProfileOwner): Promise<PooledBrowser> {
    await this.#ending.get(profileId);
    await this.#makeRoom();
    const { ctx, config, openEgress } = this.#options;
    const command = await findChromium(ctx.run, config.command);
    const profiles = await this.#openProfiles();
    const folders = await profiles.prepare(profileId);
    const egress = await openEgress(owner);
    const started = await startBrowser({
      run: ctx.run,
      clock: ctx.clock,
      log: ctx.log,
      command,
      hasSandbox: config.sandbox === "on",
      user: profiles.user,
      folders,
      profileId,
      egress,
    }).catch(async (error: unknown) => {
      await egress.close();
      throw error;
    });
    const browser = new PooledBrowser({
      started,
      owner,
      profileId,
      clock: ctx.clock,
      downloadFolder: folders.downloads,
      copyToBrowser: (file, name) =>
        profiles.copyToBrowser(profileId, file, name),
    });
    this.#track(browser, egress);
    await this.#prepare(browser);
    return browser;
  }

  #track(browser: PooledBrowser, egress: Egress): void {
    const { profileId } = browser;
    const gone = browser.exited.then(async () => {
      await egress.close();
      this.#ending.delete(profileId);
    });
    browser.onEnding(() => {
      this.#running.delete(profileId);
      this.#ending.set(profileId, gone);
    });
    void browser.ended.then((reason) =>
      this.#options.ctx.log.info("Browser ended", { profileId, reason }),
    );
  }

  /** Calls the `onStart` listeners; only then can other callers get the browser. */
  async #prepare(browser: PooledBrowser): Promise<void> {
    const release = browser.hold();
    try {
      for (const prepare of this.#prepares) await prepare(browser);
      if (this.#isClosed || browser.protocol.isClosed)
        throw errors.BROWSER_GONE({});
      this.#running.set(browser.profileId, browser);
    } catch (error) {
      browser.end("asked");
      await browser.exited;
      throw error;
    } finally {
      release();
    }
  }

  /** Ends the least recently used browser if the limit would otherwise be exceeded. */
  async #makeRoom(): Promise<void> {
    // The browser that is about to start is already counted.
    while (this.#running.size + this.#starting.size > MAX_BROWSERS) {
      const [oldest] = [...this.#running.values()]
        .filter((browser) => !browser.isHeld)
        .sort((one, other) => one.lastUsed - other.lastUsed);
      if (!oldest) throw errors.BROWSER_LIMIT({ limit: MAX_BROWSERS });
      oldest.end("evicted");
      await oldest.exited;
    }
  }

  #openProfiles(): Promise<Profiles> {
    return (this.#profiles ??= this.#findProfiles().catch((error: unknown) => {
      this.#profiles = undefined;
      throw error;
    }));
  }

  async #findProfiles(): Promise<Profiles> {
    const { ctx, config } = this.#options;
    return openProfiles({
      machineFolder: await this.#options.machineFolder(),
      home: ctx.home,
      // Chromium refuses to run as root only because of its sandbox.
      isRoot: process.getuid?.() === 0 && config.sandbox === "on",
    });
  }
}
