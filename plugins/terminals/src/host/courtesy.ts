/** A user who typed within this time is likely to continue. */
const TYPING_MS = 500;
/** Limit on the output of all other terminals together while a user types: `SPAN_BYTES` in `SPAN_MS`, or 4 MB a second. */
const SPAN_MS = 4;
const SPAN_BYTES = 16 * 1024;

/**
 * Throttles the output of other terminals while a user types. A flood of output saturates the host, the daemon and the client, and
 * the echo of a key in another terminal would wait for it at each step. The limit is still faster than anyone reads.
 */
export class Courtesy {
  /** Time of the last input, by terminal. */
  readonly #typedAt = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #spanBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Called when a user types in this terminal, or begins to view it. */
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
    if (this.#typedAt.size === 0 || !this.#givesWay(id)) return false;
    this.#spanBytes += bytes;
    if (!this.#timer) this.#timer = setTimeout(() => this.#nextSpan(), SPAN_MS);
    if (this.#spanBytes <= SPAN_BYTES) return false;
    this.#waiting.add(goOn);
    return true;
  }

  /** Whether users type in other terminals, and not in this one. */
  #givesWay(id: string): boolean {
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
