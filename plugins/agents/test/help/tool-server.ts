import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ToolServer } from "../../src/tool-server.ts";

const PROGRAM = fileURLToPath(
  new URL("../stand-ins/tool-server.ts", import.meta.url),
);

/** A call that a test's tool server received. */
export interface ToolCall {
  name?: string;
  input?: object;
  key?: string;
}

/**
 * A tool server for tests, with the tools `echo` and `refuse`.
 *
 * @param calls File in which it notes the calls, for {@link readToolCalls}.
 * @param options `startMs` is how long it takes to start.
 */
export function createToolServer(
  calls: string,
  key: string,
  { name = "bench-tools", prefix = "", startMs = 0 } = {},
): ToolServer {
  return {
    name,
    command: process.execPath,
    args: [PROGRAM, calls, prefix],
    env: {
      [`TOOL_KEY${prefix && `_${prefix}`}`.toUpperCase()]: key,
      ...(startMs > 0 && { TOOL_START_MS: String(startMs) }),
    },
    tools: [`${prefix}echo`, `${prefix}refuse`],
    prompt: `Use ${prefix}echo to repeat a text.`,
  };
}

/** The recorded calls; empty before the first. */
export function readToolCalls(calls: string): ToolCall[] {
  let text: string;
  try {
    text = readFileSync(calls, "utf8");
  } catch {
    return [];
  }
  const lines = text.split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as ToolCall);
}
