import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Clock } from "@gantry/plugin";
import { TextTail } from "@gantry/agent-kit";

/** After this much output the stream is paused, so that a command that writes endlessly does not block the daemon. */
const BURST_BYTES = 1024 * 1024;
const PAUSE_MS = 10;

/** Collects both output streams of a command in the order of arrival, and keeps the end of a long output. */
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
   * Resolves when all output has arrived, or after `maxMs`. Output may arrive after the program has ended, and a process
   * that it left running may keep the streams open.
   */
  ended(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(maxMs, resolve);
      void Promise.all(this.#ends).then(() => {
        cancel();
        resolve();
      });
    });
  }
}
