import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { NODE_FLAGS } from "../../../../kernel/cli/bin/node-flags.mjs";
import { send } from "./http.ts";
import { startNode } from "./process.ts";
import type { MeasuredProcess } from "./process.ts";

const COMMAND = fileURLToPath(
  new URL("../../../../kernel/cli/bin/gantry.mjs", import.meta.url),
);
const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

/** A folder that is gone when it is disposed. */
export async function createFolder(): Promise<
  AsyncDisposable & { path: string }
> {
  const path = await mkdtemp(join(tmpdir(), "gantry-bench-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Puts the plugin of this package into a home. */
export async function addBenchPlugin(home: string): Promise<void> {
  const folder = join(home, "plugins", "bench");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const part of ["package.json", "dist"])
    await cp(join(PACKAGE, part), join(folder, part), { recursive: true });
}

/** The arguments that run the built daemon. */
export function daemonArguments(home: string, port = 0): string[] {
  return [
    ...NODE_FLAGS,
    COMMAND,
    "serve",
    "--home",
    home,
    "--port",
    String(port),
    "--json",
    "--log",
    "error",
  ];
}

/** A built daemon, with a session of a browser. */
export interface Daemon extends MeasuredProcess {
  /** Address by number. */
  base: string;
  /** Address of the UI. */
  url: string;
  /** Headers of a paired caller. */
  session: { cookie: string };
}

/** Starts the built daemon on a home and pairs with it. */
export async function startDaemon(
  home: string,
  signal: AbortSignal,
): Promise<Daemon> {
  const running = startNode(daemonArguments(home), signal);
  try {
    const { url, pairUrl, port } = await readReadyLine(running);
    const base = `http://127.0.0.1:${port}`;
    const session = { cookie: await pair(base, url, pairUrl) };
    return { ...running, base, url, session };
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

interface ReadyLine {
  url: string;
  pairUrl: string;
  port: number;
}

/** Reads what a daemon says once all of its plugins run. */
export async function readReadyLine(
  running: MeasuredProcess,
): Promise<ReadyLine> {
  const { stdout } = running.child;
  if (!stdout) throw new Error("The daemon's output cannot be read.");
  const [line] = (await Promise.race([
    once(createInterface({ input: stdout }), "line"),
    once(running.child, "exit").then(() => {
      throw new Error(`The daemon ended before it served:\n${running.log()}`);
    }),
  ])) as [string];
  return JSON.parse(line) as ReadyLine;
}

/** Pairs as a browser does, and gives the cookie. */
async function pair(
  base: string,
  url: string,
  pairUrl: string,
): Promise<string> {
  const code = decodeURIComponent(new URL(pairUrl).hash.replace(/^#code=/, ""));
  const { status, headers, body } = await send(`${base}/pair`, {
    method: "POST",
    headers: { host: new URL(url).host, origin: url },
    body: { code, device: "Bench" },
  });
  const cookie = headers["set-cookie"]?.[0]?.split(";")[0];
  if (cookie === undefined)
    throw new Error(`The daemon did not pair: ${status} ${body.toString()}`);
  return cookie;
}
