import { createRequire } from "node:module";
import type { Daemon } from "./daemon.ts";
import { send } from "./http.ts";

/** A terminal of `node-pty` alone. */
export interface Pty {
  onData(listen: (data: Buffer) => void): void;
  onExit(listen: () => void): void;
  write(text: string): void;
  kill(): void;
}

/** Starts a program in one. */
export const { spawn } = createRequire(
  new URL("../../../../plugins/terminals/package.json", import.meta.url),
)("node-pty") as {
  spawn(file: string, args: string[], options: object): Pty;
};

/** Opens a terminal that runs a command line. */
export async function open(
  { base, session }: Daemon,
  cwd: string,
  command: string,
): Promise<string> {
  const { status, body } = await send(`${base}/api/terminals`, {
    method: "POST",
    headers: session,
    body: { kind: "cli", cwd, command },
  });
  const { id, detail } = JSON.parse(body.toString()) as {
    id: string;
    detail?: string;
  };
  if (status !== 200) throw new Error(`No terminal: ${detail ?? status}`);
  return id;
}

/** Closes a terminal. */
export async function close(
  { base, session }: Daemon,
  id: string,
): Promise<void> {
  await send(`${base}/api/terminals/${id}`, {
    method: "DELETE",
    headers: session,
  });
}
