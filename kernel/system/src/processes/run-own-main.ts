import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { createOutputBuffer } from "./output-buffer.ts";

const MAX_COMPLAINT_BYTES = 16 * 1024;

/** How this program was started. */
export interface OwnMain {
  file: string;
  /** Options of Node. */
  options: readonly string[];
  main: string;
}

/** This program. */
export const ownMain = (): OwnMain => ({
  file: process.execPath,
  options: process.execArgv,
  main: process.argv[1] ?? "",
});

/** Options of {@link runOwnMain}. */
export interface OwnMainRun {
  /** Further options of Node. */
  options: readonly string[];
  /** One of our commands with its arguments. */
  args: readonly string[];
  cwd: string;
  /** Added to our environment. */
  env: NodeJS.ProcessEnv;
  /** Its standard input. */
  input: string;
  /** Sends KILL when it aborts. */
  signal: AbortSignal;
}

/**
 * Runs a command of this program in a process of its own, until it ends.
 *
 * @returns its standard output
 * @throws Error with its error output if it fails; the signal's reason, once it has ended
 */
export async function runOwnMain(
  { file, options, main }: OwnMain,
  run: OwnMainRun,
): Promise<string> {
  const { signal } = run;
  const child = spawn(
    file,
    [
      // Two processes cannot listen on one debugger port.
      ...options.filter((option) => !option.startsWith("--inspect")),
      ...[...run.options, main, ...run.args],
    ],
    {
      cwd: run.cwd,
      env: { ...process.env, ...run.env },
      stdio: "pipe",
      windowsHide: true,
    },
  );
  const end = () => void child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  // A process that fails before it has read its whole input reports the reason itself.
  child.stdin.on("error", () => {}).end(run.input);
  const complaint = createOutputBuffer(child.stderr, MAX_COMPLAINT_BYTES);
  try {
    const [output, [code, endedBy]] = await Promise.all([
      text(child.stdout),
      once(child, "close") as Promise<[number | null, string | null]>,
    ]);
    signal.throwIfAborted();
    if (code === 0) return output;
    const [said = ""] = complaint.text().trim().split("\n");
    throw new Error(said || `It ended with ${endedBy ?? `exit code ${code}`}.`);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
