import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const LIMIT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs a program of the daemon until it ends, for work that takes more memory or time than the daemon itself should.
 *
 * @param input Its standard input.
 * @returns its standard output
 * @throws Error with its error output if it fails
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
      // Windows needs this variable to find its own components; the program needs no others.
      env: SystemRoot === undefined ? {} : { SystemRoot },
      timeout: LIMIT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      windowsHide: true,
    },
  );
  // A program that fails before it has read its whole input reports the reason itself.
  running.child.stdin?.on("error", () => {}).end(input);
  return (await running).stdout;
}
