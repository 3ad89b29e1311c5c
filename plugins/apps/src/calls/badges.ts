import type { Clock, Log } from "@gantry/plugin";
import type * as z from "zod";
import { appBadge } from "../action.ts";
import type { RegisteredApp } from "../registry/registered-app.ts";
import { createEnding, raceAbort } from "./ending.ts";
import { toPlainData } from "./to-plain-data.ts";

/** Time that a badge may take. */
const BADGE_MS = 1_000;
/** A badge is not asked for again within this time. */
const KEPT_MS = 1_000;
/** Time after which an app whose last badge has not come yet is asked again. */
const HUNG_MS = 60_000;
const MAX_BADGE_CHARACTERS = 1_000;

export type ShownBadge = z.output<typeof appBadge> | null;

interface Asked {
  at: number;
  badge: Promise<ShownBadge>;
  /** Whether the app has not come back yet, also after its time is over. */
  isOpen: boolean;
}

/** The badges of apps. One that fails, hangs or does not fit is none. */
export class Badges {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #asked = new WeakMap<RegisteredApp, Asked>();
  readonly #failing = new WeakSet<RegisteredApp>();

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The badge of an app, as it is now or was within the last second. */
  of(registered: RegisteredApp): Promise<ShownBadge> {
    if (!registered.app.badge) return Promise.resolve(null);
    const now = this.#clock.monotonic();
    const last = this.#asked.get(registered);
    // An app that hangs would otherwise hold one more call each second.
    const keptMs = last?.isOpen ? HUNG_MS : KEPT_MS;
    if (last && now - last.at < keptMs) return last.badge;
    const asked: Asked = {
      at: now,
      badge: Promise.resolve(null),
      isOpen: true,
    };
    this.#asked.set(registered, asked);
    asked.badge = this.#ask(registered, asked);
    return asked.badge;
  }

  async #ask(registered: RegisteredApp, asked: Asked): Promise<ShownBadge> {
    const { app, owner, signal } = registered;
    const options = { clock: this.#clock, ms: BADGE_MS, signal };
    const ending = createEnding(registered, options);
    const work = async () => {
      try {
        const badge = await app.badge?.({}, ending.given);
        return toPlainData(badge, registered, MAX_BADGE_CHARACTERS);
      } finally {
        asked.isOpen = false;
      }
    };
    try {
      const badge = await raceAbort(owner.run(work), ending.signal);
      const checked = appBadge.nullish().parse(badge) ?? null;
      this.#failing.delete(registered);
      return checked;
    } catch (error) {
      this.#note(registered, error);
      return null;
    } finally {
      ending.clear();
    }
  }

  /** Logs the first of failures in a row, since pages ask often. */
  #note(registered: RegisteredApp, error: unknown): void {
    if (registered.signal.aborted || this.#failing.has(registered)) return;
    this.#failing.add(registered);
    this.#log.warn("App has no badge", {
      app: registered.id,
      plugin: registered.owner.plugin,
      reason: error instanceof Error ? String(error.message) : "no error",
    });
  }
}
