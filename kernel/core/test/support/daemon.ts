import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** Sources are compiled once for all of the many starts. */
const COMPILE_CACHE = fileURLToPath(
  new URL("../../../node_modules/.cache/test-compile", import.meta.url),
);
const ENTRY = fileURLToPath(new URL("./run-gantry.ts", import.meta.url));

const BASE_ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: COMPILE_CACHE,
};

/** How a command ended. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface SpawnOptions {
  env?: Record<string, string>;
  /** What to run instead of the command line. */
  entry?: string;
}

/** Starts a program of the kernel from its sources; it is killed when the test is over. */
export function spawnGantry(
  args: readonly string[],
  { env, entry = ENTRY }: SpawnOptions = {},
) {
  const child = spawn(
    process.execPath,
    [
      "--conditions=gantry-source",
      "--disable-warning=ExperimentalWarning",
      entry,
      ...args,
    ],
    {
      env: { ...BASE_ENVIRONMENT, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout
    .setEncoding("utf8")
    .on("data", (text: string) => (output.stdout += text));
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(([code]): CommandResult => ({
    code: code as number | null,
    ...output,
  }));
  return { child, output, ended };
}

/** Runs a command of ours to its end. */
export function runGantry(
  args: readonly string[],
  options?: SpawnOptions,
): Promise<CommandResult> {
  return spawnGantry(args, options).ended;
}

/** A daemon in a process of its own. */
export interface Daemon {
  readonly pid: number;
  readonly port: number;
  /** What it printed when it was ready. */
  readonly ready: { url: string; pairUrl: string; pid: number; port: number };
  /** Calls it with the install token. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** The `Authorization` header that {@link call} sends. */
  readonly authorization: string;
  /** What it logged so far, parsed. */
  log(): Record<string, unknown>[];
  /** Resolves once a line that fits was logged. Rejects with `what` when the daemon ends before. */
  logged(
    fits: (line: Record<string, unknown>) => boolean,
    what?: string,
  ): Promise<void>;
  kill(signal?: NodeJS.Signals): void;
  /** Its output is no longer read. */
  turnAway(): void;
  readonly ended: Promise<CommandResult>;
}

/**
 * Starts a daemon on a home, on a free port.
 *
 * @throws Error with what it said if it ends instead
 */
export async function startDaemon(
  home: string,
  args: readonly string[] = [],
  { port = "0", ...options }: SpawnOptions & { port?: "0" | "usual" } = {},
): Promise<Daemon> {
  const { child, output, ended } = spawnGantry(
    [
      "serve",
      "--home",
      home,
      "--json",
      ...(port === "0" ? ["--port", port] : []),
      ...args,
    ],
    options,
  );
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(
      ([text]) => text as string,
    ),
    ended.then(({ code, stderr }) => {
      throw new Error(`The daemon ended with ${code}: ${stderr}`);
    }),
  ]);
  const ready = JSON.parse(line) as Daemon["ready"];
  const token = (await readFile(join(home, "token"), "utf8")).trim();
  const authorization = `Bearer ${token}`;
  const log = () =>
    output.stderr
      .split("\n")
      .filter((text) => text.startsWith("{"))
      .map((text) => JSON.parse(text) as Record<string, unknown>);
  return {
    pid: ready.pid,
    port: ready.port,
    ready,
    ended,
    kill: (signal = "SIGTERM") => void child.kill(signal),
    turnAway() {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    call: (path, init) =>
      fetch(`http://127.0.0.1:${ready.port}${path}`, {
        ...init,
        headers: { authorization, ...init?.headers },
      }),
    authorization,
    log,
    async logged(fits, what = "the line") {
      const end = ended.then(({ code }) => {
        throw new Error(`The daemon ended with ${code} before ${what}.`);
      });
      end.catch(() => {});
      while (!log().some(fits))
        await Promise.race([once(child.stderr, "data"), end]);
    },
  };
}

/** Puts a plugin into a home by hand, as an installation does: its server is the given code. */
export async function putPlugin(
  home: string,
  name: string,
  code: string,
  packageName = name,
): Promise<void> {
  const folder = join(home, "plugins", name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const manifest = {
    name: packageName,
    version: "1.0.0",
    type: "module",
    gantry: { api: 1, server: "./server.mjs" },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "server.mjs"), code);
}

/** Code of a plugin's server whose setup is the given statements. */
export function pluginCode(id: string, setup = "", before = ""): string {
  return `${before}
export default {
  id: "${id}", api: 1, summary: "Made for a test", mounts: ["/api/${id}"],
  async setup(ctx) { ${setup} },
};
`;
}
