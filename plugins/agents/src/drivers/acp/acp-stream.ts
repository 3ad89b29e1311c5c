import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { WireReader } from "../../wire/line-channel.ts";

/** What the stream stands on. */
export interface AcpStreamHost {
  /** Writes one message as a line. */
  send(message: unknown): Promise<void>;
  /** A line that was too long and told nothing of a request of ours. */
  lost(): Promise<void>;
}

/**
 * The wire as the protocol's library wants it, with what its own stream lacks: lines have a cap, output that is no
 * message is passed over, and the next line is not read before the handler of an update is done. So updates cannot be
 * overtaken by the answer that ends their turn, and a flood of them blocks the agent instead of filling memory.
 */
export class AcpStream implements WireReader {
  readonly stream: Stream;
  readonly #host: AcpStreamHost;
  /** Ids of our requests that are not answered. Others would make the library complain on stderr. */
  readonly #asked = new Set<unknown>();
  #controller!: ReadableStreamDefaultController<AnyMessage>;
  #handled: (() => void) | undefined;
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
      if (!this.#asked.delete(message.id)) return;
      this.#controller.enqueue(message);
    } else if (typeof message.method === "string") {
      const isUpdate =
        message.method === "session/update" && !("id" in message);
      const handled = isUpdate
        ? new Promise<void>((resolve) => (this.#handled = resolve))
        : undefined;
      this.#controller.enqueue(message);
      await handled;
    }
  }

  async oversized(head: string): Promise<void> {
    const isCall = /"method"\s*:/.test(head);
    const id = /"id"\s*:\s*(\d+|"[^"\\]*")/.exec(head)?.[1];
    const asked =
      isCall || id === undefined
        ? undefined
        : (JSON.parse(id) as string | number);
    if (asked === undefined || !this.#asked.has(asked))
      return await this.#host.lost();
    await this.value({
      id: asked,
      error: { code: -32603, message: "The answer was too long to read." },
    });
  }

  /** The handler of an update is done: the next line may come. */
  updateHandled(): void {
    this.#handled?.();
    this.#handled = undefined;
  }

  /** Nothing comes any more. What waits for an answer fails. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.updateHandled();
    try {
      this.#controller.close();
    } catch {
      // The library has cancelled it before.
    }
  }
}
