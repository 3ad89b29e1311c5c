/** Places in a script where the model waits for the test. */
export class Gates {
  readonly #open = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Waits until a gate is open, or the signal aborts. */
  pass(name: string, signal: AbortSignal): Promise<void> {
    if (this.#open.has(name) || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting.add(resolve));
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Opens a gate for all who wait there and all who come. */
  open(name: string): void {
    this.#open.add(name);
    for (const resolve of this.#waiting.get(name) ?? []) resolve();
    this.#waiting.delete(name);
  }
}
