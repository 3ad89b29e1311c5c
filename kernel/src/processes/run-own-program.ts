import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const LIMIT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs a program of the daemon's own to its end, for work that takes more memory or time than the daemon itself should.
 *
 * @param input What it reads from its standard input.
 * @returns what it wrote to its standard output
 * @throws Error with what it complained of if it fails
 */
export async function runOwnProgram(
  program: URL,
  input: string,
): Promise<string> {
  const { SystemRoot } = process.env;
  const running = promisify(execFile)(
    process.execPath,
    [fileURLToPath(program)],
    {
      // Windows finds its own parts by this one; nothing else is any of its business.
      env: SystemRoot === undefined ? {} : { SystemRoot },
      timeout: LIMIT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      windowsHide: true,
    },
  );
  // A program that fails before it has read everything says why itself.
  running.child.stdin?.on("error", () => {}).end(input);
  return (await running).stdout;
}
