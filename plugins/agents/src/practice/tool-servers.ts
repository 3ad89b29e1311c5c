import { readFile } from "node:fs/promises";
import { McpClient, type McpServer, type ToolResult } from "./mcp-client.ts";

/** The tool servers of one conversation, started with the first call. */
export class ToolServers {
  readonly #servers: readonly McpServer[];
  #clients: Promise<McpClient[]> | undefined;

  constructor(servers: readonly McpServer[] = []) {
    this.#servers = servers;
  }

  /** Names of all tools. */
  async list(signal: AbortSignal): Promise<string[]> {
    const clients = await this.#start();
    const lists = clients.map((client) => client.tools(signal));
    return (await Promise.all(lists)).flat();
  }

  /** Calls a tool on the server that has it. Rejects if none has it. */
  async call(
    name: string,
    input: object,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    for (const client of await this.#start())
      if ((await client.tools(signal)).includes(name))
        return await client.call(name, input, signal);
    throw new Error(`There is no tool ${name}.`);
  }

  /** Stops the servers. */
  stop(): void {
    this.#clients
      ?.then((clients) => clients.forEach((client) => client.stop()))
      .catch(() => undefined);
    this.#clients = undefined;
  }

  #start(): Promise<McpClient[]> {
    this.#clients ??= Promise.all(
      this.#servers.map((server) => McpClient.start(server)),
    );
    return this.#clients;
  }
}

/** The servers that a client passes with a conversation. */
export function readServers(value: unknown): McpServer[] {
  if (!Array.isArray(value)) return [];
  return (value as Record<string, unknown>[]).map((server) => ({
    name: String(server["name"]),
    command: String(server["command"]),
    args: Array.isArray(server["args"]) ? server["args"].map(String) : [],
    env: Object.fromEntries(
      ((server["env"] ?? []) as { name: string; value: string }[]).map(
        ({ name, value }) => [name, value],
      ),
    ),
  }));
}

/** The servers listed in a file. The environment that they need is this program's own. */
export async function readServerFile(
  file: string | undefined,
): Promise<McpServer[]> {
  if (file === undefined) return [];
  return readServers(JSON.parse(await readFile(file, "utf8")));
}

/** The text of a tool's result. Anything but text is only mentioned. */
export function toText({ content = [] }: ToolResult): string {
  return content
    .map(({ type, text, mimeType }) => text ?? `[${mimeType ?? type}]`)
    .join("\n");
}
