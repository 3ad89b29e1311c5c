import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** A tool server in the format that a client uses. */
export interface McpServer {
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** The result of a tool. */
export interface ToolResult {
  content?: { type: string; text?: string; mimeType?: string; data?: string }[];
  isError?: boolean;
}

interface Message {
  id?: unknown;
  method?: string;
  result?: unknown;
  error?: { message?: string };
}

const START_MS = 20_000;

/**
 * A running tool server, which speaks JSON lines. Our own client instead of the protocol's library: the practice agent
 * needs three calls and is started for each agent, where the library would take most of the time and memory.
 */
export class McpClient {
  readonly #name: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #next = 1;
  #gone: Error | undefined;

  private constructor({ name, command, args, env }: McpServer) {
    this.#name = name;
    this.#child = spawn(command, args, {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, ...env },
    });
    const { stdin, stdout } = this.#child;
    this.#child.once("error", (error) => this.#fail(error.message));
    this.#child.once("close", () => this.#fail("It has ended."));
    // The exit of the server reports the failure.
    stdin.on("error", () => undefined);
    stdout.setEncoding("utf8");
    let rest = "";
    stdout.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line);
    });
  }

  /** Starts a server and sends the handshake. Rejects if the server ends or does not answer within 20 s. */
  static async start(server: McpServer): Promise<McpClient> {
    const client = new McpClient(server);
    try {
      await client.#ask(
        "initialize",
        {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "gantry-practice", version: "1" },
        },
        AbortSignal.timeout(START_MS),
      );
    } catch (error) {
      client.stop();
      throw error;
    }
    client.#send({ method: "notifications/initialized" });
    return client;
  }

  /** Names of its tools. */
  async tools(signal: AbortSignal): Promise<string[]> {
    const { tools = [] } = (await this.#ask("tools/list", {}, signal)) as {
      tools?: { name: string }[];
    };
    return tools.map(({ name }) => name);
  }

  /** Calls a tool. An abort cancels the call. */
  async call(
    name: string,
    input: object,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const params = { name, arguments: input };
    return (await this.#ask("tools/call", params, signal)) as ToolResult;
  }

  /** Closes the server's input, so that it exits. */
  stop(): void {
    this.#child.stdin.end();
  }

  #ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(id);
        const cancelled = { requestId: id };
        this.#send({ method: "notifications/cancelled", params: cancelled });
        reject(new Error(`${this.#name}: the call was given up.`));
      };
      const done = () => signal.removeEventListener("abort", onAbort);
      this.#waiting.set(id, {
        resolve: (result) => (done(), resolve(result)),
        reject: (error) => (done(), reject(error)),
      });
      this.#send({ id, method, params });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #take(line: string): void {
    const message = parse(line);
    if (!message) return;
    if (message.method !== undefined) {
      if (message.method === "ping") this.#send({ id: message.id, result: {} });
      return;
    }
    const waiting = this.#waiting.get(Number(message.id));
    this.#waiting.delete(Number(message.id));
    if (message.error)
      waiting?.reject(new Error(message.error.message ?? "It failed."));
    else waiting?.resolve(message.result);
  }

  #send(message: object): void {
    if (this.#gone) return;
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`${line}\n`);
  }

  #fail(reason: string): void {
    this.#gone ??= new Error(`${this.#name}: ${reason}`);
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }
}

function parse(line: string): Message | undefined {
  try {
    return (JSON.parse(line) as Message | null) ?? undefined;
  } catch {
    return undefined;
  }
}
