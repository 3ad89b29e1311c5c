import { createIdentifier, type StreamMessage } from "@gantry/plugin";

/** Takes the messages of a stream. */
export type StreamSink = (message: StreamMessage) => void;

interface Kept {
  number: number;
  message: StreamMessage;
  size: number;
}

const MAX_MESSAGES = 2000;
const MAX_SIZE = 1024 * 1024;

/**
 * The events of one agent, for its watchers. The last ones are kept in memory, so that a client that lost its connection continues
 * where it was; one that comes too late, or from before a restart, gets `reset`, and reads everything again.
 */
export class AgentStream {
  /** Ids of another run of the daemon must not be taken for ours. */
  readonly #run = createIdentifier("s").slice(2, 12);
  readonly #sinks = new Set<StreamSink>();
  readonly #closers = new Set<() => void>();
  #kept: Kept[] = [];
  #size = 0;
  #last = 0;

  get isWatched(): boolean {
    return this.#sinks.size > 0;
  }

  /** Tells all who watch. */
  publish(event: string, data: object): void {
    this.#last += 1;
    const message = { id: `${this.#run}-${this.#last}`, event, data };
    const size = JSON.stringify(data).length;
    this.#kept.push({ number: this.#last, message, size });
    this.#size += size;
    while (
      this.#kept.length > MAX_MESSAGES ||
      (this.#size > MAX_SIZE && this.#kept.length > 1)
    ) {
      this.#size -= this.#kept.shift()?.size ?? 0;
    }
    for (const sink of this.#sinks) sink(message);
  }

  /**
   * Begins to watch. Without `after`, and when `after` is not known any more, the first message is the snapshot.
   *
   * @param closed Called when the agent is gone.
   * @returns the end of watching.
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

  /** Ends all watching. */
  close(): void {
    for (const closed of this.#closers) closed();
    this.#sinks.clear();
    this.#closers.clear();
  }

  /** Everything after a place, `undefined` if some of it is gone. */
  #since(after: string): Kept[] | undefined {
    const [run, text] = after.split("-");
    const number = Number(text);
    if (
      run !== this.#run ||
      !Number.isSafeInteger(number) ||
      number < 0 ||
      number > this.#last
    )
      return undefined;
    const oldest = this.#last - this.#kept.length + 1;
    if (number + 1 < oldest) return undefined;
    return this.#kept.slice(number + 1 - oldest);
  }
}
