import { createIdentifier, type StreamMessage } from "@gantry/plugin";

/** Callback that receives the messages of a stream. */
export type StreamSink = (message: StreamMessage) => void;

interface BufferedMessage {
  number: number;
  message: StreamMessage;
  size: number;
}

const MAX_MESSAGES = 2000;
const MAX_CHARS = 1024 * 1024;

/**
 * The events of one agent for its clients. The latest are kept in memory, so that a client that reconnects receives what it
 * missed. A client whose last event is no longer kept, or is from before a restart, gets a `reset`.
 */
export class AgentStream {
  /** Prefix of event ids, to tell them from those of an earlier daemon process. */
  readonly #run = createIdentifier("s").slice(2, 12);
  readonly #sinks = new Set<StreamSink>();
  readonly #closers = new Set<() => void>();
  #buffer: BufferedMessage[] = [];
  #size = 0;
  #last = 0;

  get isWatched(): boolean {
    return this.#sinks.size > 0;
  }

  /** Sends an event to all clients and keeps it for clients that reconnect. */
  publish(event: string, data: object): void {
    this.#last += 1;
    const message = { id: `${this.#run}-${this.#last}`, event, data };
    const size = JSON.stringify(data).length;
    this.#buffer.push({ number: this.#last, message, size });
    this.#size += size;
    while (
      this.#buffer.length > MAX_MESSAGES ||
      (this.#size > MAX_CHARS && this.#buffer.length > 1)
    ) {
      this.#size -= this.#buffer.shift()?.size ?? 0;
    }
    for (const sink of this.#sinks) sink(message);
  }

  /**
   * Adds a client. It first receives the messages after the id `after`, or a snapshot if `after` is missing or no longer
   * kept.
   *
   * @param closed Called when the agent is deleted.
   * @returns a function that removes the client
   */
  watch(
    sink: StreamSink,
    after: string | undefined,
    snapshot: () => object,
    closed: () => void,
  ): () => void {
    const missed = after === undefined ? undefined : this.#since(after);
    if (missed) {
      for (const { message } of missed) sink(message);
    } else {
      if (after !== undefined) sink({ event: "reset", data: {} });
      sink({
        id: `${this.#run}-${this.#last}`,
        event: "snapshot",
        data: snapshot(),
      });
    }
    this.#sinks.add(sink);
    this.#closers.add(closed);
    return () => {
      this.#sinks.delete(sink);
      this.#closers.delete(closed);
    };
  }

  /** Disconnects all clients. */
  close(): void {
    for (const closed of this.#closers) closed();
    this.#sinks.clear();
    this.#closers.clear();
  }

  /** The messages after an id; `undefined` if some of them are no longer kept, or for an unknown id. */
  #since(after: string): BufferedMessage[] | undefined {
    const [run, text] = after.split("-");
    const number = Number(text);
    if (
      run !== this.#run ||
      !Number.isSafeInteger(number) ||
      number < 0 ||
      number > this.#last
    )
      return undefined;
    const oldest = this.#last - this.#buffer.length + 1;
    if (number + 1 < oldest) return undefined;
    return this.#buffer.slice(number + 1 - oldest);
  }
}
