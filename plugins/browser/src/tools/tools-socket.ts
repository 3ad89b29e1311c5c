import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import type { KeyedSession, SessionKeys } from "./session-keys.ts";

/** The first line contains the key only. */
const MAX_FIRST_LINE_BYTES = 1024;
const FIRST_LINE_TIMEOUT_MS = 10_000;
/** Connections that have not sent a key yet; the oldest is closed for another one, since a CLI sends its key at once. */
const MAX_UNKNOWN_CONNECTIONS = 32;
/** Connections with the key of one session: a CLI may restart its servers. */
const MAX_CONNECTIONS_A_SESSION = 8;
/** Maximum length of a Unix socket path on every system. */
const MAX_SOCKET_PATH_BYTES = 100;

/** Dependencies of {@link openToolsSocket}. */
export interface SocketHost {
  /** A folder that only the daemon's user can enter. */
  folder: string;
  clock: Pick<Clock, "after">;
  keys: SessionKeys;
  /** Serves a connection that has sent a valid key. */
  serve(socket: Socket, session: KeyedSession): void;
}

/** Socket through which programs of agents' CLIs connect to the daemon. */
export interface ToolsSocket {
  readonly path: string;
  close(): Promise<void>;
}

/** Opens the socket. Only the daemon's user can connect, and only clients with a valid key are served. */
export async function openToolsSocket(host: SocketHost): Promise<ToolsSocket> {
  const { path, remove } = await findPlace(host.folder);
  const sockets = new Set<Socket>();
  const unknown = new Set<Socket>();
  const counts = new Map<KeyedSession, number>();

  const server = createServer((socket) => {
    const [oldest] = unknown;
    if (oldest && unknown.size >= MAX_UNKNOWN_CONNECTIONS) {
      unknown.delete(oldest);
      oldest.destroy();
    }
    unknown.add(socket);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    readFirstLine(socket, host.clock, (line) => {
      unknown.delete(socket);
      const session = line === undefined ? undefined : host.keys.find(line);
      const count = session ? (counts.get(session) ?? 0) : 0;
      if (!session || count >= MAX_CONNECTIONS_A_SESSION)
        return void socket.destroy();
      counts.set(session, count + 1);
      const end = () => socket.destroy();
      session.signal.addEventListener("abort", end, { once: true });
      socket.once("close", () => {
        session.signal.removeEventListener("abort", end);
        const left = (counts.get(session) ?? 1) - 1;
        if (left === 0) counts.delete(session);
        else counts.set(session, left);
      });
      host.serve(socket, session);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  if (process.platform !== "win32") await chmod(path, 0o600);
  return {
    path,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await remove();
    },
  };
}

async function findPlace(
  folder: string,
): Promise<{ path: string; remove(): Promise<void> }> {
  if (process.platform === "win32")
    return {
      path: `\\\\.\\pipe\\${createIdentifier("gantry-browser")}`,
      remove: async () => {},
    };
  const near = join(folder, "tools.sock");
  // A killed daemon may have left its socket behind.
  await rm(near, { force: true });
  const remove = () => rm(near, { force: true });
  if (Buffer.byteLength(near) <= MAX_SOCKET_PATH_BYTES)
    return { path: near, remove };
  const own = await mkdtemp(join(tmpdir(), "gantry-"));
  return {
    path: join(own, "tools.sock"),
    remove: () => rm(own, { recursive: true, force: true }),
  };
}

/** Reads the first line and leaves the rest in the socket; `undefined` if it does not arrive or is too long. */
function readFirstLine(
  socket: Socket,
  clock: Pick<Clock, "after">,
  done: (line: string | undefined) => void,
): void {
  let head = Buffer.alloc(0);
  const finish = (line: string | undefined) => {
    cancelTimer();
    socket.off("data", onData);
    socket.off("close", onClose);
    socket.pause();
    done(line);
  };
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(0x0a);
    if ((end === -1 ? head.length : end) > MAX_FIRST_LINE_BYTES)
      return finish(undefined);
    if (end === -1) return;
    const rest = head.subarray(end + 1);
    const line = head.subarray(0, end).toString("utf8").trim();
    socket.pause();
    if (rest.length > 0) socket.unshift(rest);
    finish(line);
  };
  const onClose = () => finish(undefined);
  const cancelTimer = clock.after(FIRST_LINE_TIMEOUT_MS, () =>
    finish(undefined),
  );
  socket.on("data", onData);
  socket.once("close", onClose);
}
