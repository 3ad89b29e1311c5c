import type { Readable, Writable } from "node:stream";
import { errors } from "../errors.ts";
import { createMessageReader } from "./message-reader.ts";
import { CLOSED_CODE } from "./protocol-connection.ts";
import type {
  ProtocolAnswer,
  ProtocolConnection,
  ProtocolEvent,
} from "./protocol-connection.ts";

/** Largest call that is sent, in UTF-16 code units of its JSON. */
export const MAX_CALL_LENGTH = 16 * 1024 * 1024;
/** Bytes of calls that Chromium has not read yet; calls that exceed them are not sent. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

const REFUSED = -32_000;
const CLOSED: ProtocolAnswer = {
  error: { code: CLOSED_CODE, message: "The browser has ended." },
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

/** A message of Chromium: the answer to a call, which has its id, or an event. */
type ProtocolMessage = ProtocolAnswer &
  Partial<ProtocolEvent> & { id?: number };

interface PendingCall {
  sessionId: string | undefined;
  done(answer: ProtocolAnswer): void;
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
    const answer = Promise.withResolvers<ProtocolAnswer>();
    this.post(method, params, sessionId, answer.resolve);
    const { result, error } = await answer.promise;
    if (error && error === CLOSED.error) throw errors.BROWSER_GONE({});
    if (error) throw new Error(`${method}: ${error.message}`);
    return (result ?? {}) as Result;
  }

  post(
    method: string,
    params: object,
    sessionId?: string,
    done: (answer: ProtocolAnswer) => void = () => {},
  ): void {
    if (this.#isClosed) return this.#guard(() => done(CLOSED));
    const id = ++this.#lastId;
    const text = toText({ id, method, params, sessionId });
    const refusal =
      text === undefined
        ? "The parameters are nested too deeply."
        : text.length > MAX_CALL_LENGTH
          ? `A call is at most ${MAX_CALL_LENGTH} characters long.`
          : this.#ends.write.writableLength > MAX_UNREAD_BYTES
            ? "The browser does not read its calls; try again later."
            : undefined;
    if (refusal !== undefined)
      return this.#guard(() =>
        done({ error: { code: REFUSED, message: refusal } }),
      );
    this.#calls.set(id, { sessionId, done });
    this.#ends.write.write(`${text}\0`);
  }

  onEvent(listener: (event: ProtocolEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Closes both ends, so that Chromium exits, and rejects all pending calls. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ends.write.destroy();
    this.#ends.read.destroy();
    this.#answerAll(() => true, CLOSED);
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
      this.#guard(() => call?.done(error ? { error } : { result }));
    } else if (method !== undefined)
      this.#announce({
        ...{ method, params: params ?? {} },
        ...(sessionId === undefined ? {} : { sessionId }),
      });
  }

  #announce(event: ProtocolEvent): void {
    if (event.method === "Target.detachedFromTarget") {
      const ended = String(event.params["sessionId"]);
      // Chromium does not answer the calls of a session that has ended.
      this.#answerAll(({ sessionId }) => sessionId === ended, {
        error: { code: REFUSED, message: "The session has ended." },
      });
    }
    for (const listener of [...this.#listeners])
      this.#guard(() => listener(event));
  }

  #answerAll(
    isAnswered: (call: PendingCall) => boolean,
    answer: ProtocolAnswer,
  ): void {
    for (const [id, call] of [...this.#calls]) {
      if (!isAnswered(call)) continue;
      this.#calls.delete(id);
      this.#guard(() => call.done(answer));
    }
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ends.onFault(error);
    }
  }
}

/** The text of a message; `undefined` for one that is nested more deeply than the call stack allows. */
function toText(message: object): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return undefined;
  }
}
