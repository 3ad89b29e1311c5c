import type { Readable, Writable } from "node:stream";
import { errors } from "../errors.ts";
import { createMessageReader } from "./message-reader.ts";
import type {
  ProtocolConnection,
  ProtocolEvent,
} from "./protocol-connection.ts";

/** The two ends of the pipe to a Chromium. */
export interface PipeEnds {
  /** What Chromium writes: its file descriptor 4. */
  read: Readable;
  /** What Chromium reads: its file descriptor 3. */
  write: Writable;
  /** Called with an error that a listener threw, which must not keep events from other listeners. */
  onFault(error: unknown): void;
}

/** A message of Chromium: the answer to a call, which has its id, or an event. */
interface ProtocolMessage extends Partial<ProtocolEvent> {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
}

interface PendingCall {
  method: string;
  resolve(result: Record<string, unknown>): void;
  reject(error: unknown): void;
}

/** A connection over `--remote-debugging-pipe`: JSON messages, each ended by a zero byte. */
export class PipeConnection implements ProtocolConnection {
  readonly closed: Promise<void>;
  readonly #ends: PipeEnds;
  readonly #calls = new Map<number, PendingCall>();
  readonly #listeners = new Set<(event: ProtocolEvent) => void>();
  readonly #resolveClosed: () => void;
  #isClosed = false;
  #lastId = 0;

  constructor(ends: PipeEnds) {
    this.#ends = ends;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#resolveClosed = resolve;
    const take = createMessageReader((text) => this.#take(text));
    ends.read.on("data", (chunk: Buffer) => {
      if (this.#isClosed) return;
      try {
        take(chunk);
      } catch (error) {
        // After a message that cannot be parsed, the boundaries of the following ones cannot be trusted.
        ends.onFault(error);
        this.close();
      }
    });
    for (const stream of [ends.read, ends.write])
      for (const event of ["close", "error", "end"])
        stream.on(event, () => this.close());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async send<Result = Record<string, unknown>>(
    method: string,
    params: object = {},
    sessionId?: string,
  ): Promise<Result> {
    if (this.#isClosed) throw errors.BROWSER_GONE({});
    const id = ++this.#lastId;
    const answer = new Promise<Record<string, unknown>>((resolve, reject) =>
      this.#calls.set(id, { method, resolve, reject }),
    );
    this.#ends.write.write(
      `${JSON.stringify({ id, method, params, sessionId })}\0`,
    );
    return (await answer) as Result;
  }

  onEvent(listener: (event: ProtocolEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Closes both ends, upon which Chromium exits, and rejects all pending calls. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ends.write.destroy();
    this.#ends.read.destroy();
    for (const { reject } of this.#calls.values())
      reject(errors.BROWSER_GONE({}));
    this.#calls.clear();
    this.#listeners.clear();
    this.#resolveClosed();
  }

  #take(text: string): void {
    const { id, result, error, method, params, sessionId } = JSON.parse(
      text,
    ) as ProtocolMessage;
    if (id !== undefined) {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (error) call?.reject(new Error(`${call.method}: ${error.message}`));
      else call?.resolve(result ?? {});
    } else if (method !== undefined)
      this.#announce({ method, params: params ?? {}, sessionId });
  }

  #announce(event: ProtocolEvent): void {
    for (const listener of [...this.#listeners])
      try {
        listener(event);
      } catch (error) {
        this.#ends.onFault(error);
      }
  }
}
