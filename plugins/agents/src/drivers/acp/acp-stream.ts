import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { WireReader } from "../../wire/line-channel.ts";
import type { OversizedLine } from "../../wire/line-splitter.ts";

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
  /** Takes an update of a session. The next line is read when it is done. */
  update(params: unknown): Promise<void>;
  /** A request of the agent's that was too long. The agent waits until it is refused. */
  refuse(request: UnreadRequest): Promise<void>;
  /** A line that was too long and is no part of a request. */
  lost(): Promise<void>;
}

/**
 * The wire as the protocol's library wants it, with what its own stream lacks: lines have a cap, and output that is no
 * message is passed over. Updates never reach the library: it would drop a whole one for an odd field, complain on
 * stderr, let the answer that ends a turn overtake the last words of it, and read on without end while they wait.
 */
export class AcpStream implements WireReader {
  readonly stream: Stream;
  readonly #host: AcpStreamHost;
  /** Ids of our requests that are not answered. Others would make the library complain on stderr. */
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

  /** Nothing comes any more. What waits for an answer fails. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#controller.close();
    } catch {
      // The library has cancelled it before.
    }
  }
}
