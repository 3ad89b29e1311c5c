import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startNode } from "./process.ts";

/**
 * Runs a program of `src/workers` in its own process, and gives what it prints as JSON.
 *
 * @throws Error with its error output if it ends with a code other than 0; the signal's reason when it aborts
 */
export async function runWorker<Result>(
  name: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Result> {
  const program = fileURLToPath(new URL(`../workers/${name}`, import.meta.url));
  await using worker = startNode([program, ...args], signal);
  let output = "";
  worker.child.stdout
    ?.setEncoding("utf8")
    .on("data", (text: string) => (output += text));
  const [code] = (await once(worker.child, "close")) as [number | null];
  signal.throwIfAborted();
  if (code !== 0)
    throw new Error(`${name} ended with ${code}:\n${worker.log()}`);
  return JSON.parse(output) as Result;
}
