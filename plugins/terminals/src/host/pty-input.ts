import { write, writeSync } from "node:fs";

/** Input that a program does not read; more is refused. */
const MAX_PENDING_BYTES = 1024 * 1024;
const RETRY_MS = 10;
/** What is no longer, such as a key, is written in the same turn, where it would wait for a thread of its own. */
const AT_ONCE = 1024;

/**
 * Writes into a terminal. A program that does not read fills the system's small buffer; then it is tried again after a
 * moment, where `node-pty` would try without a pause and keep a processor busy.
 */
export class PtyInput {
  readonly #fd: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #isClosed = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Nothing is written any more: the descriptor is closed, or about to be. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @returns false if it is too much; then nothing of it is written. */
  write(data: Buffer): boolean {
    if (this.#isClosed) return true;
    if (this.#waitingBytes + data.length > MAX_PENDING_BYTES) return false;
    if (!this.#isWriting && data.length <= AT_ONCE)
      data = data.subarray(this.#writeNow(data));
    if (data.length === 0) return true;
    this.#waiting.push(data);
    this.#waitingBytes += data.length;
    if (!this.#isWriting) this.#next();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  /** @returns how much was taken: the descriptor does not block, so it may be nothing. */
  #writeNow(data: Buffer): number {
    try {
      return writeSync(this.#fd, data);
    } catch {
      // Tried again with what waits, where it is looked at.
      return 0;
    }
  }

  #next(): void {
    const [data] = this.#waiting;
    this.#isWriting = data !== undefined && !this.#isClosed;
    if (!data || this.#isClosed) return;
    write(this.#fd, data, 0, data.length, null, (error, written) => {
      if (this.#isClosed) return;
      if (error) {
        if (error.code === "EAGAIN") setTimeout(() => this.#next(), RETRY_MS);
        // The terminal is about to end; its end is told elsewhere.
        else this.close();
        return;
      }
      this.#waitingBytes -= written;
      if (written < data.length) this.#waiting[0] = data.subarray(written);
      else this.#waiting.shift();
      this.#next();
    });
  }
}
