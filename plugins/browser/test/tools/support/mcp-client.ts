import { spawn } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { ToolServer } from "@gantry/plugin-agents/contract";

/** The answer of a tool. */
export interface ToolAnswer {
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
  isError?: boolean;
}

interface Message {
  id?: number;
  method?: string;
  result?: unknown;
  error?: { message: string };
}

/** A client of the Model Context Protocol on two streams. */
export class McpClient {
  /** Methods of the notifications that arrived. */
  readonly notified: string[] = [];
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  readonly #output: Writable;
  readonly #pending = new Map<number, (message: Message) => void>();
  #lastId = 0;

  constructor(input: Readable, output: Writable) {
    this.#output = output;
    output.on("error", () => {});
    const lines = createInterface({ input });
    // The stream's own error, which ends it.
    lines.on("error", () => {});
    lines.on("line", (line) => {
      const message = JSON.parse(line) as Message;
      if (message.method !== undefined) this.notified.push(message.method);
      else if (message.id !== undefined) {
        this.#pending.get(message.id)?.(message);
        this.#pending.delete(message.id);
      }
    });
    this.closed = new Promise((resolve) => input.once("close", resolve));
  }

  /** Number of requests without an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  post(message: object): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Makes a request; an abort cancels it, and then it is never answered. */
  async request<Result>(
    method: string,
    params: object = {},
    signal?: AbortSignal,
  ): Promise<Result> {
    const id = (this.#lastId += 1);
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#pending.set(id, resolve);
    signal?.addEventListener("abort", () => {
      this.#pending.delete(id);
      this.post({
        ...{ method: "notifications/cancelled", params: { requestId: id } },
      });
    });
    this.post({ id, method, params });
    const { result, error } = await promise;
    if (error) throw new Error(error.message);
    return result as Result;
  }

  async start(): Promise<this> {
    await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" },
    });
    this.post({ method: "notifications/initialized" });
    return this;
  }

  /** Names of the offered tools. */
  async tools(): Promise<string[]> {
    const { tools } = await this.request<{ tools: { name: string }[] }>(
      "tools/list",
    );
    return tools.map(({ name }) => name);
  }

  call(
    name: string,
    input?: object,
    signal?: AbortSignal,
  ): Promise<ToolAnswer> {
    return this.request("tools/call", { name, arguments: input }, signal);
  }

  close(): void {
    this.#output.destroy();
  }
}

/** Connects to the socket of a session and sends a line, by default its key. */
export function openSocket(
  { env }: ToolServer,
  line = `${env["GANTRY_BROWSER_KEY"]}\n`,
) {
  const socket = connect(env["GANTRY_BROWSER_SOCKET"] ?? "");
  socket.on("error", () => {});
  socket.write(line);
  return socket;
}

/** A client on the socket itself, which is cheaper than the program that joins it. */
export async function connectClient(server: ToolServer): Promise<McpClient> {
  const socket = openSocket(server);
  return await new McpClient(socket, socket).start();
}

/** Starts the program of a server as a CLI does, with a client on its standard streams. */
export async function startProgram({
  command,
  args,
  env,
}: ToolServer): Promise<McpClient> {
  const child = spawn(command, [...args], { env: { ...env } });
  return await new McpClient(child.stdout, child.stdin).start();
}

/** The text of an answer. */
export function textOf({ content }: ToolAnswer): string {
  return content.map(({ text = "" }) => text).join("\n");
}
