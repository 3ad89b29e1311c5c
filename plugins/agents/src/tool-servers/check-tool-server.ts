import { isAbsolute } from "node:path";
import * as z from "zod";
import type { ToolServer } from "../tool-server.ts";

/** Names become parts of CLI arguments, settings and tool names, so they contain no special characters. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 32;

/** Whether a name is valid for a tool server. */
export function isToolServerName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && NAME.test(name);
}

const text = z.string().refine((value) => !value.includes("\0"), "has a NUL");

const schema = z.object({
  name: z.string(),
  command: text.refine(isAbsolute, "is not an absolute path"),
  args: z.array(text).readonly(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), text),
  tools: z.array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)).readonly(),
  prompt: z.string().optional(),
});

/**
 * Validates the server that an offer of this name returned. Throws an error with the reason, which contains no value of
 * the server's environment.
 */
export function checkToolServer(server: ToolServer, name: string): ToolServer {
  const { data, error } = schema.safeParse(server);
  if (error) {
    const { path = [], message = "" } = error.issues[0] ?? {};
    throw new Error(`Its server is not valid: ${path.join(".")} ${message}`);
  }
  if (data.name !== name) throw new Error(`Its server is named ${data.name}.`);
  return data;
}

/** Finds a variable that has another value in other servers. Some CLIs share one environment between all servers. */
export function findClash(
  { env }: ToolServer,
  others: readonly ToolServer[],
): string | undefined {
  return Object.keys(env).find((name) =>
    others.some((other) => (other.env[name] ?? env[name]) !== env[name]),
  );
}
