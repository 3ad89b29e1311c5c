import { describeError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { BrowserConfig } from "../config.ts";
import type { Egress } from "../egress/open-egress.ts";
import { errors } from "../errors.ts";
import { toProfileId } from "./browser-pool.ts";
import type {
  BrowserPool,
  ProfileOwner,
  RunningBrowser,
} from "./browser-pool.ts";
import { findChromium } from "./find-chromium.ts";
import { PooledBrowser } from "./pooled-browser.ts";
import { createProfiles } from "./profiles.ts";
import type { Profiles } from "./profiles.ts";
import { startBrowser } from "./start-browser.ts";

/** Browsers that may run at the same time. */
export const MAX_BROWSERS = 4;

/** Dependencies of {@link openBrowserPool}. */
export interface PoolOptions {
  ctx: Pick<PluginContext, "run" | "clock" | "log" | "own" | "home">;
  config: BrowserConfig;
  /** Opens the network access of a browser that is about to start. */
  openEgress(owner: ProfileOwner): Promise<Egress>;
  /** Prepares each browser that has started, before any other code gets it. */
  onStart(browser: RunningBrowser): Promise<void>;
}

/** Opens the pool. Its browsers end when the plugin stops. */
export function openBrowserPool(options: PoolOptions): BrowserPool {
  const pool = new ChromiumPool(options);
  options.ctx.own(() => pool.close());
  return pool;
}

class ChromiumPool implements BrowserPool {
  readonly #options: PoolOptions;
  readonly #profiles: Profiles;
  readonly #running = new Map<string, PooledBrowser>();
  readonly #starting = new Map<string, Promise<PooledBrowser>>();
  /** Browsers that are still writing their profiles, which must not be opened until they have ended. */
  readonly #ending = new Map<string, Promise<void>>();
  #problem: string | null = null;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#profiles = createProfiles({
      home: options.ctx.home,
      // Chromium refuses to run as root only because of its sandbox.
      isRoot: process.getuid?.() === 0 && options.config.sandbox === "on",
    });
  }

  get problem(): string | null {
    return this.#problem;
  }

  async open(owner: ProfileOwner): Promise<RunningBrowser> {
    if (this.#isClosed) throw errors.BROWSER_GONE({});
    const profileId = toProfileId(owner);
    const running = this.#running.get(profileId);
    if (running) {
      running.touch();
      return running;
    }
    let start = this.#starting.get(profileId);
    if (!start) {
      start = this.#start(owner).finally(() =>
        this.#starting.delete(profileId),
      );
      this.#starting.set(profileId, start);
    }
    return await start;
  }

  all(): readonly RunningBrowser[] {
    return [...this.#running.values()];
  }

  async forget(profileId: string): Promise<void> {
    await this.#starting.get(profileId)?.catch(() => {});
    this.#running.get(profileId)?.end("asked");
    await this.#ending.get(profileId);
    await this.#profiles.remove(profileId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#starting.values());
    for (const browser of this.#running.values()) browser.end("asked");
    await Promise.allSettled(this.#ending.values());
  }

  async #start(owner: ProfileOwner): Promise<PooledBrowser> {
    await this.#ending.get(toProfileId(owner));
    await this.#makeRoom();
    try {
      const browser = await this.#launch(owner);
      this.#problem = null;
      return browser;
    } catch (error) {
      this.#problem = describeError(error);
      throw error;
    }
  }

  async #launch(owner: ProfileOwner): Promise<PooledBrowser> {
    const { ctx, config } = this.#options;
    const profileId = toProfileId(owner);
    const command = await findChromium(ctx.run, config.command);
    const profile = await this.#profiles.prepare(profileId);
    const egress = await this.#options.openEgress(owner);
    const started = await startBrowser({
      run: ctx.run,
      clock: ctx.clock,
      log: ctx.log,
      command,
      hasSandbox: config.sandbox === "on",
      profile,
      profileId,
      proxyPort: egress.port,
    }).catch(async (error: unknown) => {
      await egress.close();
      throw error;
    });
    const browser = new PooledBrowser({
      started,
      owner,
      egress,
      clock: ctx.clock,
    });
    this.#track(browser);
    await this.#prepare(browser);
    return browser;
  }

  #track(browser: PooledBrowser): void {
    const { profileId } = browser;
    const gone = browser.exited.then(() => {
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

  async #prepare(browser: PooledBrowser): Promise<void> {
    const release = browser.hold();
    try {
      await this.#options.onStart(browser);
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
}
