import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { killMarkedProcesses } from "@gantry/plugin/processes";

/** How a command ended. */
export interface CommandEnd {
  output: string;
  exitCode: number | null;
}

const MAX_OUTPUT = 64 * 1024;
/** By this variable everything is found that a command started, also what left its process group. */
const MARKER = "GANTRY_PRACTICE_COMMAND";

/**
 * Runs a shell command, in the process group of the agent so that it ends with the agent. An abort kills it with all that it
 * started.
 */
export async function runCommand(
  command: string,
  {
    cwd,
    signal,
    onOutput,
  }: {
    cwd: string;
    signal: AbortSignal;
    onOutput: (soFar: string) => void;
  },
): Promise<CommandEnd> {
  const mark = randomUUID();
  const child = spawn(command, {
    cwd,
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, [MARKER]: mark },
  });
  let output = "";
  const take = (chunk: Buffer) => {
    if (output.length >= MAX_OUTPUT) return;
    output = (output + chunk.toString("utf8")).slice(0, MAX_OUTPUT);
    onOutput(output);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  return await new Promise((resolve) => {
    const stop = async () => {
      child.kill("SIGKILL");
      await killMarkedProcesses(MARKER, mark);
      // Something that could not be found may still hold the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ output, exitCode: null });
    };
    const onAbort = () => void stop();
    signal.addEventListener("abort", onAbort, { once: true });
    child.once("error", (error) =>
      resolve({ output: error.message, exitCode: null }),
    );
    child.once("close", (exitCode) => {
      signal.removeEventListener("abort", onAbort);
      if (!signal.aborted) resolve({ output, exitCode });
    });
  });
}
