// For trying a CLI by hand: `node src/main.ts [port]`. A line on standard input opens the gate of that name.
import { createInterface } from "node:readline";
import { startModelServer } from "./server.ts";

const models = await startModelServer({ port: Number(process.argv[2] ?? 0) });
console.log(`Model server on ${models.url}`);
void watch(0);
for await (const line of createInterface({ input: process.stdin })) {
  models.openGate(line.trim());
}
await models.close();

/** Prints each request once it is over, in order of arrival. */
async function watch(index: number): Promise<void> {
  const request = await models.waitFor(
    (candidate) =>
      candidate === models.requests[index] && candidate.outcome !== "pending",
    2 ** 31 - 1,
  );
  const { system: _system, tools: _tools, ...shown } = request;
  console.log(JSON.stringify(shown));
  return watch(index + 1);
}
