import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Clis } from "./agents-kernel.ts";

/** A daemon in a process of its own. */
export interface DoomedDaemon {
  call<Body = unknown>(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Body }>;
  /** Kills it without a shutdown. */
  kill(): Promise<void>;
}

/** Starts a daemon on a home, to be killed. */
export async function startDoomedDaemon(
  home: string,
  clis: Clis,
): Promise<DoomedDaemon> {
  const file = fileURLToPath(
    new URL("../stand-ins/daemon.ts", import.meta.url),
  );
  const child = spawn(
    process.execPath,
    ["--conditions=gantry-source", file, home, JSON.stringify(clis)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exited = once(child, "exit");
  const [line] = (await Promise.race([once(child.stdout, "data"), exited])) as [
    Buffer | number,
  ];
  if (typeof line === "number")
    throw new Error(`The daemon ended with code ${line}.`);
  const { url, cookie } = JSON.parse(line.toString()) as {
    url: string;
    cookie: string;
  };
  return {
    async call<Body>(method: string, path: string, body?: object) {
      const response = await fetch(new URL(path, url), {
        method,
        headers: {
          cookie,
          origin: url,
          ...(body ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: (await response.json()) as Body };
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
