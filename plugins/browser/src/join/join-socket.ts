import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";

/** Environment variable with the path of the daemon's socket, for a program that an agent's CLI starts. */
export const SOCKET_VARIABLE = "GANTRY_BROWSER_SOCKET";
/** Environment variable with the key of the session. */
export const KEY_VARIABLE = "GANTRY_BROWSER_KEY";

/** Options of {@link joinSocket}. */
export interface JoinOptions {
  env: Readonly<Record<string, string | undefined>>;
  input: Readable;
  output: Writable;
  signal?: AbortSignal;
}

/**
 * Connects two streams to the tools of the daemon, which decides what the tools may do. Resolves when either side has
 * ended.
 *
 * @throws Error with a message for the user if the environment names no socket, or nothing listens there
 */
export async function joinSocket(options: JoinOptions): Promise<void> {
  const { env, input, output, signal } = options;
  const path = env[SOCKET_VARIABLE];
  const key = env[KEY_VARIABLE];
  if (!path || !key)
    throw new Error(
      "This program is started by the CLI of an agent that Gantry runs, which gives it a key for the browser. There is none here.",
    );
  await new Promise<void>((resolve, reject) => {
    const socket = connect(path, () => {
      socket.write(`${key}\n`);
      input.pipe(socket);
      socket.pipe(output, { end: false });
    });
    socket.once("error", (cause: NodeJS.ErrnoException) =>
      reject(
        new Error(
          `The browser of Gantry does not answer (${cause.code ?? cause.message}).`,
          { cause },
        ),
      ),
    );
    socket.once("close", () => resolve());
    // A client that is gone does not read any more.
    output.once("error", () => socket.destroy());
    signal?.addEventListener("abort", () => socket.destroy(), { once: true });
  });
}
