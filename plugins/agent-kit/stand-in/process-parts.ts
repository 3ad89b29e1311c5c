import { closeSync } from "node:fs";
import { spawn, type ChildProcess } from "node:child_process";

/** Ignores all signals that can be ignored. */
export function stayAlive(): void {
  for (const signal of ["SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => undefined);
  setInterval(() => undefined, 1000);
}

/** Runs a shell command until it ends or is stopped. */
export function run(
  command: string,
  signal: AbortSignal,
): Promise<{ output: string; code: number | null }> {
  return new Promise((resolve) => {
    const child: ChildProcess = spawn(command, {
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout?.on("data", (chunk) => (output += String(chunk)));
    child.stderr?.on("data", (chunk) => (output += String(chunk)));
    signal.addEventListener("abort", () => child.kill("SIGKILL"), {
      once: true,
    });
    child.once("close", (code) => resolve({ output, code }));
  });
}

/** Resolves after a delay or when aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), {
      once: true,
    });
  });
}

/** Closes the input but keeps running. */
export function closeInput(): void {
  process.stdin.destroy();
  closeSync(0);
  setInterval(() => undefined, 1000);
}

/** Writes one line of this many megabytes. */
export async function flood(megabytes: number): Promise<void> {
  process.stdout.write(
    '{"type":"tool_execution_update","toolCallId":"x","partialResult":"',
  );
  const block = "x".repeat(1024 * 1024);
  for (let count = 0; count < megabytes; count += 1) {
    if (!process.stdout.write(block))
      await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  process.stdout.write('"}\n');
}

/** Writes bytes, lines and values that are not messages of the protocol. */
export function writeGarbage(): void {
  process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
  process.stdout.write(
    'not json\n{"type":\n[[[]]]\nnull\n"text"\n\n{"type":"agent_settled_not"}\n',
  );
  process.stdout.write(`${"[".repeat(100_000)}${"]".repeat(100_000)}\n`);
  process.stdout.write(
    `{"type":"message_end","message":{"role":"assistant","content":"no list"}}\n`,
  );
}
