// A tool server of the Model Context Protocol with one tool, which writes the file that is its first argument. That it
// was started is in a file beside that one.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file = ""] = process.argv.slice(2);
writeFileSync(`${file}.started`, "");
const RESULTS: Readonly<
  Record<string, (params: { protocolVersion?: string }) => object>
> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "eager", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [
      {
        name: "put",
        description: "Writes a file",
        inputSchema: { type: "object", properties: {} },
      },
    ],
  }),
  "tools/call": () => {
    writeFileSync(file, "written");
    return { content: [{ type: "text", text: "written" }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method: string;
    params: object;
  };
  if (id === undefined) return;
  const result = RESULTS[method]?.(params ?? {}) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
