import { closeSync } from "node:fs";
import { spawn, type ChildProcess } from "node:child_process";

/** How a question of an extension is answered. */
export interface DialogAnswer {
  value?: string;
  confirmed?: boolean;
  cancelled?: boolean;
}

/** Does not end by a signal that could be ignored. */
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

/** Resolves after a time or at the abort. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), {
      once: true,
    });
  });
}

/** Writes one line of `megabytes` MiB. */
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

/** Bytes, lines and values that are no message of the wire. */
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

/** What pi reports as used tokens while it does not know. */
export const ZERO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { total: 0 },
};

/** Says words on the wire of one line or the other. */
export function writeUpdate(
  isNew: boolean,
  event: object,
  partial: object,
): void {
  const line = isNew
    ? {
        type: "message_update",
        usage: ZERO_USAGE,
        assistantMessageEvent: event,
      }
    : {
        type: "message_update",
        assistantMessageEvent: { ...event, partial },
        message: partial,
      };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Stops listening, and lives on. */
export function closeInput(): void {
  process.stdin.destroy();
  closeSync(0);
  setInterval(() => undefined, 1000);
}

/** The usage of a message by default. */
export const USUAL_USAGE = {
  ...{ input: 100, output: 20, totalTokens: 120 },
  cost: { total: 0.0006 },
};
