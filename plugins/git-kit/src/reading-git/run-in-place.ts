import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { text } from "node:stream/consumers";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** How a program runs in place of this one. */
export interface InPlaceOptions {
  cwd?: string;
  env: NodeJS.ProcessEnv;
  /** Changes its output, which is then written at its end. */
  rewrite?: (output: string) => string;
}

/**
 * Runs a program in place of this process: it gets the same streams and signals. Returns its exit code, as a shell counts
 * it. For our programs that wrap another one; children of the daemon are started by `run`.
 */
export async function runInPlace(
  file: string,
  args: readonly string[],
  { cwd, env, rewrite }: InPlaceOptions,
): Promise<number> {
  // First: the program may have answered, and its reader sent a signal, before this process continues after its start.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const child = spawn(file, [...args], {
    cwd,
    env,
    stdio: ["inherit", rewrite ? "pipe" : "inherit", "inherit"],
    windowsHide: true,
  });
  const output = child.stdout ? text(child.stdout) : undefined;
  const [code, signal] = (await once(child, "close")) as [
    number | null,
    NodeJS.Signals | null,
  ];
  if (rewrite && output) {
    // The reader may have closed its end, as `head` does.
    process.stdout.on("error", () => {});
    process.stdout.write(rewrite(await output));
  }
  return code ?? 128 + constants.signals[signal ?? "SIGKILL"];
}
