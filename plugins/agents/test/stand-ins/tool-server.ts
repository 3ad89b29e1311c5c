// A tool server of another plugin, with two tools. It records each call, and whether it has its key, in the file passed
// as an argument.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [file = "", prefix = ""] = process.argv.slice(2);
const key = process.env[`TOOL_KEY${prefix && `_${prefix}`}`.toUpperCase()];

const inputSchema = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
};
const tools = [
  { name: `${prefix}echo`, description: "Repeats a text.", inputSchema },
  { name: `${prefix}refuse`, description: "Always fails.", inputSchema },
];

function call(params: {
  name: string;
  arguments: { text?: string };
}): object | undefined {
  const { name, arguments: input } = params;
  appendFileSync(file, `${JSON.stringify({ name, input, key })}\n`);
  const text = `${name}: ${input.text ?? ""}`;
  if (input.text === "hang") return undefined;
  if (input.text === "die") process.exit(1);
  const isError = name.endsWith("refuse");
  return { content: [{ type: "text", text }], isError };
}

const serverInfo = { name: "stand-in", version: "1" };

// A busy machine starts it late.
await sleep(Number(process.env["TOOL_START_MS"] ?? 0));

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method: string;
    params: never;
  };
  const { protocolVersion } = (params ?? {}) as { protocolVersion?: string };
  const capabilities = { tools: {} };
  const results: Record<string, () => object | undefined> = {
    initialize: () => ({ protocolVersion, capabilities, serverInfo }),
    "tools/list": () => ({ tools }),
    "tools/call": () => call(params),
    ping: () => ({}),
  };
  if (method === "notifications/cancelled")
    appendFileSync(file, `${JSON.stringify({ cancelled: true })}\n`);
  if (id === undefined) return;
  const result = results[method];
  const answer = result
    ? result()
    : { error: { code: -32601, message: "No such method." } };
  if (answer === undefined) return;
  const message = result ? { result: answer } : answer;
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: "2.0", id, ...message })}\n`,
  );
});
