import type { GuardOptions } from "./guard-options.ts";

const LOOK_INTERVAL_MS = 100;
/** An agent's input is refused after it has waited this long for the user to pause. */
const MAX_WAIT_MS = 15_000;

/** Delays the input of an agent, in order, while the user is using the tab. */
export class InputQueue {
  readonly #options: Pick<GuardOptions, "userIsDriving" | "clock">;
  #last: Promise<void> | undefined;

  constructor(options: Pick<GuardOptions, "userIsDriving" | "clock">) {
    this.#options = options;
  }

  /** Runs `post` at once if nothing is queued and the user is not using the tab, else as soon as that is so. */
  run(
    targetId: string,
    post: () => void,
    refuse: (reason: string) => void,
  ): void {
    if (!this.#last && !this.#isDriving(targetId)) return post();
    const turn = (this.#last ?? Promise.resolve())
      .then(() => this.#untilRest(targetId))
      .then((isResting) =>
        isResting
          ? post()
          : refuse("the user is working in this tab; try again later"),
      )
      // The clock has stopped because the plugin stops.
      .catch(() => refuse("the browser is ending"))
      .finally(() => {
        if (this.#last === turn) this.#last = undefined;
      });
    this.#last = turn;
  }

  async #untilRest(targetId: string): Promise<boolean> {
    for (
      let waited = 0;
      this.#isDriving(targetId);
      waited += LOOK_INTERVAL_MS
    ) {
      if (waited >= MAX_WAIT_MS) return false;
      await this.#options.clock.sleep(LOOK_INTERVAL_MS);
    }
    return true;
  }

  #isDriving(targetId: string): boolean {
    return this.#options.userIsDriving?.(targetId) ?? false;
  }
}
