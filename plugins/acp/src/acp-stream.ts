import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { WireReader, OversizedLine } from "@gantry/agent-kit";

/** What is known of a request that was too long to read. */
export interface UnreadRequest {
  id: unknown;
  method: string;
  /** The end of its line. */
  tail: string;
}

/** Dependencies of {@link AcpStream}. */
export interface AcpStreamHost {
  /** Writes one message as a line. */
  send(message: unknown): Promise<void>;
  /** Handles an update of a session. The next line is read when the promise settles. */
  update(params: unknown): Promise<void>;
  /** A request of the agent that was too long. The agent waits until it is refused. */
  refuse(request: UnreadRequest): Promise<void>;
  /** A line that was too long and is not a request. */
  lost(): Promise<void>;
}

/**
 * The stream that the protocol's library expects, with features that its own stream lacks: lines have a maximum length,
 * and output that is not a message is skipped. Updates bypass the library, which would drop an update because of one
 * unexpected field, log on stderr, let the answer that ends a turn overtake the turn's last text, and read without
 * limit while updates are pending.
 */
export class AcpStream implements WireReader {
  readonly stream: Stream;
  readonly #host: AcpStreamHost;
  /** Ids of our unanswered requests. Other ids would make the library log on stderr. */
  readonly #asked = new Set<unknown>();
  #controller!: ReadableStreamDefaultController<AnyMessage>;
  #isClosed = false;

  constructor(host: AcpStreamHost) {
    this.#host = host;
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => void (this.#controller = controller),
        cancel: () => this.close(),
      }),
      writable: new WritableStream<AnyMessage>({
        write: async (message) => {
          if ("id" in message && "method" in message)
            this.#asked.add(message.id);
          await host.send(message);
        },
      }),
    };
  }

  async value(value: unknown): Promise<void> {
    if (this.#isClosed || typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) return;
    const message = { ...value, jsonrpc: "2.0" } as AnyMessage & {
      id?: unknown;
    };
    if (!("method" in message)) {
      if (this.#asked.delete(message.id)) this.#controller.enqueue(message);
    } else if (message.method === "session/update" && !("id" in message)) {
      await this.#host.update(message.params);
    } else if (typeof message.method === "string") {
      this.#controller.enqueue(message);
    }
  }

  async oversized({ fields, tail }: OversizedLine): Promise<void> {
    const id = fields.get("id");
    const method = fields.get("method");
    if (typeof method === "string" && id !== undefined)
      return await this.#host.refuse({ id, method, tail });
    if (method !== undefined || !this.#asked.has(id))
      return await this.#host.lost();
    await this.value({
      id,
      error: { code: -32603, message: "The answer was too long to read." },
    });
  }

  /** No more messages arrive. Pending requests fail. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#controller.close();
    } catch {
      // The library has already cancelled it.
    }
  }
}
