import type { Readable } from "node:stream";
import { TextTail } from "../wire/text-tail.ts";

/** What a command writes to both of its streams, in the order in which it arrives, its end alone if it is long. */
export class MergedOutput {
  readonly #limit: number;
  readonly #tail: TextTail;
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
  }
}
