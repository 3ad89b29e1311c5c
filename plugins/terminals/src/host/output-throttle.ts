/** A user who typed within this time is likely to type on. */
const TYPING_MS = 500;
/** Output of all other terminals together while the user types: 16 KiB a span, which is 4 MB a second. */
const SPAN_MS = 4;
const SPAN_BYTES = 16 * 1024;

/**
 * Throttles the output of other terminals while the user types. A flood would saturate the host, the daemon and the page,
 * and delay the echo of a key in another terminal at each step. Throttled output is still faster than one can read.
 */
export class OutputThrottle {
  /** When the user last typed, by terminal. */
  readonly #typedAt = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #spanBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Call when the user types in this terminal, or opens it. */
  typed(id: string): void {
    // The newest is last.
    this.#typedAt.delete(id);
    this.#typedAt.set(id, performance.now());
  }

  /**
   * Counts the output of a terminal.
   *
   * @returns whether it has to wait; then `goOn` is called when it does not have to any more.
   */
  mustWait(id: string, bytes: number, goOn: () => void): boolean {
    if (this.#typedAt.size === 0 || !this.#mustYield(id)) return false;
    this.#spanBytes += bytes;
    if (!this.#timer) this.#timer = setTimeout(() => this.#nextSpan(), SPAN_MS);
    if (this.#spanBytes <= SPAN_BYTES) return false;
    this.#waiting.add(goOn);
    return true;
  }

  /** Whether the user types, and in other terminals only. */
  #mustYield(id: string): boolean {
    const since = performance.now() - TYPING_MS;
    for (const [typed, at] of this.#typedAt) {
      if (at >= since) break;
      this.#typedAt.delete(typed);
    }
    return this.#typedAt.size > 0 && !this.#typedAt.has(id);
  }

  #nextSpan(): void {
    this.#timer = undefined;
    this.#spanBytes = 0;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const goOn of waiting) goOn();
  }
}
