import type { Socket } from "node:net";
import { Transform } from "node:stream";
import type { TransformCallback } from "node:stream";
import type { Clock } from "@gantry/plugin";

/** Messages that a client may send at once, and again within each second. */
export const MAX_MESSAGES_A_SECOND = 200;
/** A client that leaves more than this of its answers unread is not read either. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const SECOND_MS = 1_000;
const LINE_FEED = 0x0a;

/**
 * Passes on what a client sends, no faster than {@link MAX_MESSAGES_A_SECOND} lines on average, and only while it reads
 * its answers. The rest stays with the client, whose own writes then block.
 */
export class ThrottledInput extends Transform {
  readonly #socket: Socket;
  readonly #clock: Pick<Clock, "after" | "monotonic">;
  /** Lines that may be passed on now; negative after a chunk with more. */
  #budget = MAX_MESSAGES_A_SECOND;
  #filledAt: number;
  #stopTimer = () => {};

  constructor(socket: Socket, clock: Pick<Clock, "after" | "monotonic">) {
    super();
    this.#socket = socket;
    this.#clock = clock;
    this.#filledAt = clock.monotonic();
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: TransformCallback,
  ): void {
    this.#whenRead(() => {
      this.push(chunk);
      this.#refill();
      for (const byte of chunk) if (byte === LINE_FEED) this.#budget -= 1;
      this.#whenAllowed(done);
    });
  }

  override _destroy(
    error: Error | null,
    done: (error?: Error | null) => void,
  ): void {
    this.#stopTimer();
    done(error);
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    const more = ((now - this.#filledAt) / SECOND_MS) * MAX_MESSAGES_A_SECOND;
    this.#budget = Math.min(this.#budget + more, MAX_MESSAGES_A_SECOND);
    this.#filledAt = now;
  }

  #whenAllowed(work: () => void): void {
    if (this.#budget >= 0) return work();
    const ms = (-this.#budget / MAX_MESSAGES_A_SECOND) * SECOND_MS;
    this.#stopTimer = this.#clock.after(Math.ceil(ms), work);
  }

  #whenRead(work: () => void): void {
    if (this.#socket.writableLength <= MAX_UNREAD_BYTES) work();
    else this.#socket.once("drain", work);
  }
}
