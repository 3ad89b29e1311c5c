import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Where a question is asked. */
export interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/**
 * Asks for a secret and shows nothing of what is typed. `undefined` where there is no terminal.
 *
 * @param signal Gives up when it aborts, with its reason.
 * @param terminal Of this process unless given.
 */
export async function askSecret(
  question: string,
  signal: AbortSignal,
  // What is printed may go to a file.
  { input, output }: Terminal = {
    input: process.stdin,
    output: process.stderr,
  },
): Promise<string | undefined> {
  signal.throwIfAborted();
  if (!input.isTTY || !output.isTTY) return undefined;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({
    input,
    output: nowhere,
    terminal: true,
    historySize: 0,
  });
  output.write(question);
  try {
    return await new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason as Error);
      signal.addEventListener("abort", abort, { once: true });
      reader.once("line", resolve);
      // The terminal hands the key over instead of sending a signal.
      reader.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
      reader.once("close", () => {
        signal.removeEventListener("abort", abort);
        resolve("");
      });
    });
  } finally {
    reader.close();
    output.write("\n");
  }
}
