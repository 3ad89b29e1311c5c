import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Clock } from "@gantry/plugin";
import { TextTail } from "../wire/text-tail.ts";

/** After so much a command waits a moment, so that one that writes without end leaves the daemon to others. */
const BURST_BYTES = 1024 * 1024;
const PAUSE_MS = 10;

/** What a command writes to both of its streams, in the order in which it arrives, its end alone if it is long. */
export class MergedOutput {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #tail: TextTail;
  readonly #ends: Promise<void>[] = [];
  #bytes = 0;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
    this.#tail = new TextTail(limit);
  }

  get isTruncated(): boolean {
    return this.#bytes > this.#limit;
  }

  get text(): string {
    return this.#tail.text();
  }

  follow(stream: Readable): void {
    let burst = 0;
    stream.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      this.#tail.push(chunk);
      burst += chunk.length;
      if (burst < BURST_BYTES) return;
      burst = 0;
      stream.pause();
      this.#clock.after(PAUSE_MS, () => stream.resume());
    });
    this.#ends.push(finished(stream).catch(() => {}));
  }

  /**
   * Resolves when all output has arrived, or after `longestMs`: the end of a program may be known before its last output,
   * and a process that it left behind may hold its streams open for ever.
   */
  ended(longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(longestMs, resolve);
      void Promise.all(this.#ends).then(() => {
        cancel();
        resolve();
      });
    });
  }
}
