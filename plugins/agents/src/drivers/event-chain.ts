import type { DriverEvent, DriverListener } from "../driver.ts";

/** Hands events to a listener one after the other, whoever gives them. */
export class EventChain {
  readonly #listener: DriverListener;
  #last: Promise<void> = Promise.resolve();

  constructor(listener: DriverListener) {
    this.#listener = listener;
  }

  /** Resolves when the listener has taken the event. */
  emit(event: DriverEvent): Promise<void> {
    const emitted = this.#last.then(() => this.#listener(event));
    this.#last = emitted.catch(() => undefined);
    return emitted;
  }
}
