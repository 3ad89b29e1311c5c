import type { Clock, Log } from "@gantry/plugin";
import type { App } from "../contract.ts";
import type { RegisteredApp } from "../registry/registered-app.ts";
import { createEnding, raceAbort } from "./ending.ts";
import { Slots } from "./slots.ts";
import { toPlainData } from "./to-plain-data.ts";
import { toRefusal } from "./to-refusal.ts";

/** Time that a view or an action may take, with the time that it waits for its turn. */
const CALL_MS = 5_000;
/** Views, and as many actions, that one app works on at once. */
const MAX_CONCURRENT = 4;

/** What an app is called for. */
export interface AppCall {
  kind: "view" | "action";
  requestId: string;
  /** Aborts when the caller no longer waits for the answer. */
  signal: AbortSignal;
  run(app: App, signal: AbortSignal): Promise<unknown>;
}

/** Calls functions of apps, so that whatever one does costs no other anything but the time of the processor. */
export class AppCalls {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #slots = new WeakMap<
    RegisteredApp,
    { view: Slots; action: Slots }
  >();

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Calls a function of an app, and gives its answer as plain data.
   *
   * @throws `APP_FAILED`, `APP_TIMEOUT`, `APP_VIEW_INVALID` (502), `APP_UNAVAILABLE` (503), `APP_REFUSED` (409),
   *   `APP_PAGE_NOT_FOUND` (404)
   */
  async call(registered: RegisteredApp, call: AppCall): Promise<unknown> {
    const { app, owner } = registered;
    const ending = createEnding(registered, {
      clock: this.#clock,
      ms: CALL_MS,
      signal: call.signal,
    });
    const work = async () =>
      toPlainData(await call.run(app, ending.given), registered);
    try {
      return await this.#slotsOf(registered, call.kind).use(
        () => raceAbort(owner.run(work), ending.signal),
        ending.signal,
      );
    } catch (error) {
      if (ending.signal.aborted) throw ending.signal.reason;
      throw toRefusal(error, { registered, ...call, log: this.#log });
    } finally {
      ending.clear();
    }
  }

  #slotsOf(registered: RegisteredApp, kind: AppCall["kind"]): Slots {
    let slots = this.#slots.get(registered);
    if (!slots) {
      slots = {
        view: new Slots(MAX_CONCURRENT),
        action: new Slots(MAX_CONCURRENT),
      };
      this.#slots.set(registered, slots);
    }
    return slots[kind];
  }
}
