import type { Readable, Writable } from "node:stream";

/** A request or notification from the client. */
export interface Call {
  id?: string | number;
  method: string;
  params: Record<string, unknown>;
}

/** An error that is sent to the client. */
export class WireError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The agent's side of JSON-RPC over lines. */
export class Wire {
  readonly #output: Writable;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #next = 1;

  constructor(output: Writable) {
    this.#output = output;
  }

  /**
   * Reads calls until the input ends. Calls are handled concurrently; the result or error of `handle` is the answer.
   */
  async read(
    input: Readable,
    handle: (call: Call) => Promise<unknown>,
  ): Promise<void> {
    let rest = "";
    input.setEncoding("utf8");
    for await (const chunk of input) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line, handle);
    }
  }

  notify(method: string, params: object): void {
    this.#write({ method, params });
  }

  /** Sends a request to the client and resolves with its result; a refusal is `undefined`. */
  request(method: string, params: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#write({ id, method, params });
    });
  }

  #take(line: string, handle: (call: Call) => Promise<unknown>): void {
    const message = parse(line);
    if (!message) return;
    if (typeof message["method"] === "string") {
      const call = {
        ...message,
        params: toObject(message["params"]),
      } as unknown as Call;
      void this.#answer(call, handle(call));
    } else if (typeof message["id"] === "number") {
      this.#waiting.get(message["id"])?.(message["result"]);
      this.#waiting.delete(message["id"]);
    }
  }

  async #answer({ id }: Call, work: Promise<unknown>): Promise<void> {
    try {
      const result = await work;
      if (id !== undefined) this.#write({ id, result: result ?? {} });
    } catch (error) {
      const code = error instanceof WireError ? error.code : -32603;
      if (id !== undefined)
        this.#write({ id, error: { code, message: (error as Error).message } });
    }
  }

  #write(message: object): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return toObject(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)
    : {};
}
