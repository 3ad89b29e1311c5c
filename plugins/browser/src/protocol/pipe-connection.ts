import type { Readable, Writable } from "node:stream";
import { errors } from "../errors.ts";
import { createMessageReader } from "./message-reader.ts";
import type {
  ProtocolAnswer,
  ProtocolConnection,
  ProtocolEvent,
} from "./protocol-connection.ts";
import { CONNECTION_CLOSED, ProtocolError } from "./protocol-error.ts";

/** Bytes of calls waiting for Chromium to read them; a call that exceeds it is answered with an error. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

const CLOSED: ProtocolAnswer = {
  error: { code: CONNECTION_CLOSED, message: "The browser has ended." },
};

/** The two ends of the pipe to a Chromium. */
export interface PipeEnds {
  /** What Chromium writes: its file descriptor 4. */
  read: Readable;
  /** What Chromium reads: its file descriptor 3. */
  write: Writable;
  /** Called with an error that a listener or callback threw, which must not keep events from other listeners. */
  onFault(error: unknown): void;
}

/** A connection over `--remote-debugging-pipe`: JSON messages, each ended by a zero byte. */
export class PipeConnection implements ProtocolConnection {
  readonly closed: Promise<void>;
  #isClosed = false;
  #resolveClosed: () => void;
  #lastId = 0;
  readonly #ends: PipeEnds;
  readonly #calls = new Map<number, (answer: ProtocolAnswer) => void>();
  readonly #listeners = new Set<(event: ProtocolEvent) => void>();

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
    const { promise, resolve } = Promise.withResolvers<ProtocolAnswer>();
    this.post(method, params, sessionId, resolve);
    const { result, error } = await promise;
    if (error?.code === CONNECTION_CLOSED) throw errors.BROWSER_GONE({});
    if (error) throw new ProtocolError(method, error);
    return (result ?? {}) as Result;
  }

  post(
    method: string,
    params: object,
    sessionId: string | undefined,
    done: (answer: ProtocolAnswer) => void,
  ): void {
    if (this.#isClosed) return this.#guarded(() => done(CLOSED));
    if (this.#ends.write.writableLength > MAX_WAITING_BYTES)
      return this.#guarded(() =>
        done({
          error: { code: -32_000, message: "The browser does not read." },
        }),
      );
    const id = ++this.#lastId;
    this.#calls.set(id, done);
    this.#ends.write.write(
      `${JSON.stringify({ id, method, params, sessionId })}\0`,
    );
  }

  onEvent(listener: (event: ProtocolEvent) => void): () => void {
    // A wrapper, so that a listener that was added twice is also removed twice.
    const entry = (event: ProtocolEvent) => listener(event);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Closes both ends, upon which Chromium exits, and answers all pending calls with an error. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ends.write.destroy();
    this.#ends.read.destroy();
    const open = [...this.#calls.values()];
    this.#calls.clear();
    for (const done of open) this.#guarded(() => done(CLOSED));
    this.#listeners.clear();
    this.#resolveClosed();
  }

  #take(text: string): void {
    const message = JSON.parse(text) as ProtocolAnswer &
      Partial<ProtocolEvent> & { id?: number };
    if (message.id !== undefined) {
      const done = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      const { result, error } = message;
      if (done) this.#guarded(() => done(error ? { error } : { result }));
      return;
    }
    const { method, params = {}, sessionId } = message;
    if (method === undefined) return;
    const event: ProtocolEvent =
      sessionId === undefined
        ? { method, params }
        : { method, params, sessionId };
    for (const listener of [...this.#listeners])
      this.#guarded(() => listener(event));
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ends.onFault(error);
    }
  }
}
