import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { createOutputBuffer } from "./output-buffer.ts";

const MAX_COMPLAINT_BYTES = 16 * 1024;

/** How this program was started. */
export const ownMain = () => ({
  file: process.execPath,
  /** Options of Node. */
  options: process.execArgv,
  main: process.argv[1] ?? "",
});

/** What {@link runOwnMain} runs. */
export interface OwnMainRun {
  /** Further options of Node. */
  options: readonly string[];
  /** A command of ours with its arguments. */
  args: readonly string[];
  cwd: string;
  /** Added to our environment. */
  env: NodeJS.ProcessEnv;
  /** What it reads from its standard input. */
  input: string;
  /** KILL when it aborts. */
  signal: AbortSignal;
}

/**
 * Runs a command of this program in a process of its own, to its end.
 *
 * @returns what it wrote to its standard output
 * @throws Error with what it complained of if it fails; the signal's reason, once it is gone
 */
export async function runOwnMain(
  { file, options, main }: ReturnType<typeof ownMain>,
  run: OwnMainRun,
): Promise<string> {
  const { signal } = run;
  const child = spawn(
    file,
    [
      // Two cannot listen on one port of a debugger.
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
  // One that fails before it has read everything says why itself.
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
