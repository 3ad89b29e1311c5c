import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../stand-ins/daemon.ts", import.meta.url));

/** A daemon in a process of its own. */
export interface DoomedDaemon {
  /** Rejects if the answer is an error. */
  call<Body>(method: string, path: string, body?: object): Promise<Body>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts a daemon on a home, to be killed. */
export async function startDoomedDaemon(home: string): Promise<DoomedDaemon> {
  const child = spawn(
    process.execPath,
    ["--conditions=gantry-source", FILE, home],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  const [line] = (await Promise.race([once(child.stdout, "data"), exited])) as [
    Buffer | number,
  ];
  if (!(line instanceof Buffer))
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
          ...{ cookie, origin: url },
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Body;
      if (!response.ok)
        throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
      return answer;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
