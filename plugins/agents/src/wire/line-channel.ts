import { finished } from "node:stream/promises";
import type { Log, RunningProcess } from "@gantry/plugin";
import {
  LineSplitter,
  type OversizedLine,
  type WireLine,
} from "./line-splitter.ts";
import { SessionGone } from "./session-gone.ts";
import { TextTail } from "./text-tail.ts";

/** Takes one JSON value from the wire, or the rest of a line that was too long. The next is read when it settles. */
export interface WireReader {
  value(value: unknown): void | Promise<void>;
  oversized(line: OversizedLine): void | Promise<void>;
}

/**
 * JSON lines over the pipes of a process. Reading waits for the reader, so that a flood of output blocks the process
 * and not the daemon. A line that is not JSON is passed over.
 */
export class LineChannel {
  /** Resolves when stdout has ended and everything on it was read. */
  readonly drained: Promise<void>;
  /** Resolves when stderr has ended. */
  readonly errorsDrained: Promise<unknown>;
  readonly #process: RunningProcess;
  readonly #log: Log;
  readonly #errors = new TextTail(8192);
  #garbage = 0;
  #writable = true;

  /** `inputClosed` is called when the process turns out not to read any more. */
  constructor(
    process: RunningProcess,
    reader: WireReader,
    log: Log,
    inputClosed: () => void,
  ) {
    this.#process = process;
    this.#log = log;
    process.stdin.on("error", () => {
      this.#writable = false;
      inputClosed();
    });
    process.stderr.on("data", (chunk: Buffer) => this.#errors.push(chunk));
    this.errorsDrained = finished(process.stderr).catch(() => undefined);
    this.drained = this.#read(reader);
  }

  /** The last words on stderr. */
  get errorTail(): string {
    return this.#errors.text();
  }

  /** Writes one value as a line. Rejects if the process does not read any more, or `signal` aborts meanwhile. */
  async send(value: unknown, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { stdin } = this.#process;
    if (!this.#writable || !stdin.writable)
      throw new SessionGone("It has closed its input.");
    if (stdin.write(`${JSON.stringify(value)}\n`)) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: unknown) => {
        stdin.off("drain", onDrain);
        stdin.off("close", onClose);
        signal.removeEventListener("abort", onAbort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onDrain = () => settle();
      const onClose = () => settle(new SessionGone("It has closed its input."));
      const onAbort = () => settle(signal.reason);
      stdin.once("drain", onDrain);
      stdin.once("close", onClose);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  async #read(reader: WireReader): Promise<void> {
    const splitter = new LineSplitter();
    try {
      for await (const chunk of this.#process.stdout) {
        for (const line of splitter.push(chunk as Buffer))
          await this.#hand(line, reader);
      }
      for (const line of splitter.end()) await this.#hand(line, reader);
    } catch (error) {
      this.#log.warn("Output of an agent could not be read to its end", {
        reason: String(error),
      });
    }
  }

  async #hand(line: WireLine, reader: WireReader): Promise<void> {
    if (line.kind === "oversized") {
      this.#log.warn(
        "An agent sent a line that is too long; the rest of it was dropped",
        { bytes: line.bytes },
      );
      await reader.oversized(line);
      return;
    }
    const value = parse(line.text);
    if (value === undefined) this.#passOver(line.text);
    else await reader.value(value);
  }

  #passOver(text: string): void {
    if (text.trim() === "") return;
    this.#garbage += 1;
    // A flood of garbage would be a flood of log lines: only the 1st, 10th, 100th … is logged.
    if (!/^10*$/.test(String(this.#garbage))) return;
    this.#log.warn("An agent sent a line that is not JSON", {
      count: this.#garbage,
      line: text.slice(0, 200),
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
