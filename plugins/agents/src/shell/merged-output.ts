import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Clock } from "@gantry/plugin";
import { TextTail } from "../wire/text-tail.ts";

/** What a command writes to both of its streams, in the order in which it arrives, its end alone if it is long. */
export class MergedOutput {
  readonly #limit: number;
  readonly #tail: TextTail;
  readonly #ends: Promise<void>[] = [];
  #bytes = 0;

  constructor(limit: number) {
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
    stream.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      this.#tail.push(chunk);
    });
    this.#ends.push(finished(stream).catch(() => {}));
  }

  /**
   * Resolves when all has arrived, or after so many ms: the end of a program may be known before its last words are, and
   * what got away from it may hold its streams open for ever.
   */
  ended(clock: Clock, longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(longestMs, resolve);
      void Promise.all(this.#ends).then(() => {
        cancel();
        resolve();
      });
    });
  }
}
