import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { NODE_FLAGS } from "../../kernel/cli/bin/node-flags.mjs";

const COMMAND = fileURLToPath(
  new URL("../../kernel/cli/bin/gantry.mjs", import.meta.url),
);

/** What the daemon prints when it serves. */
interface ReadyLine {
  ready: true;
  url: string;
  pairUrl: string;
  pid: number;
  port: number;
}

/** A built daemon in a process of its own. */
export interface Daemon extends ReadyLine {
  readonly home: string;
  /** Address by number, for clients that do not know `gantry.localhost`. */
  readonly base: string;
  /** Everything it wrote to its log. */
  log(): string;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts the built daemon on a home and waits until it serves. */
export async function startDaemon(
  home: string,
  {
    args = [],
    env = {},
  }: { args?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<Daemon> {
  const child = spawn(
    process.execPath,
    [
      ...NODE_FLAGS,
      ...[COMMAND, "serve", "--home", home, "--port", "0", "--json", ...args],
    ],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } },
  );
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ready = await readReadyLine(child, () => log);
  const exited = once(child, "exit") as Promise<[number | null]>;
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (!hasExited()) child.kill(signal);
    if (!hasExited()) await exited;
    return child.exitCode;
  }

  return {
    ...ready,
    home,
    base: `http://127.0.0.1:${ready.port}`,
    log: () => log,
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
    [Symbol.asyncDispose]: async () => void (await end("SIGTERM")),
  };
}

async function readReadyLine(
  child: ChildProcess,
  log: () => string,
): Promise<ReadyLine> {
  const lines = createInterface({ input: child.stdout! });
  const [first] = (await Promise.race([
    once(lines, "line"),
    once(child, "exit").then(([code]) => {
      throw new Error(`The daemon ended with ${String(code)}:\n${log()}`);
    }),
  ])) as [string];
  return JSON.parse(first) as ReadyLine;
}

/** Runs a command of the command line to its end. */
export async function runGantry(
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [COMMAND, ...args]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** The install token of a home, for a client that is not a browser. */
export async function readToken(home: string): Promise<string> {
  return (await readFile(join(home, "token"), "utf8")).trim();
}
