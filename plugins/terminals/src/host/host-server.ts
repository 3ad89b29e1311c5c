import { appendFileSync, statSync } from "node:fs";
import { stat, unlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { createFrameReader, FrameKind } from "../wire/frames.ts";
import { PROTOCOL } from "../wire/protocol.ts";
import type { FromDaemon, FromHost, HostRequests } from "../wire/protocol.ts";
import { Courtesy } from "./courtesy.ts";
import { HostedTerminal } from "./hosted-terminal.ts";
import { Outbox } from "./outbox.ts";
import type { LoadedPty } from "./pty-module.ts";

/** How often the host looks whether it is still wanted. */
const WATCH_MS = 2_000;
/** A daemon that comes while there still is another waits for so long. */
const PATIENCE_MS = 3_000;
const MAX_LOG_BYTES = 256 * 1024;

/** How a host runs. */
export interface HostOptions {
  /** Where the daemon finds it. */
  socket: string;
  /** The plugin's folder. When it is gone the plugin is, and all terminals end. */
  folder: string;
  /** Without a daemon and without a running program it ends after this time. */
  idleMs: number;
  loaded: LoadedPty;
}

type Handlers = {
  [Name in keyof HostRequests]: (
    input: HostRequests[Name]["input"],
  ) => HostRequests[Name]["result"] | Promise<HostRequests[Name]["result"]>;
};

/** Serves the terminals to the one daemon that they belong to, and keeps them while there is none. */
export async function serveHost(options: HostOptions): Promise<void> {
  const { socket: path, folder, idleMs, loaded } = options;
  const terminals = new Map<string, HostedTerminal>();
  const viewers = new Map<number, HostedTerminal>();
  const courtesy = new Courtesy();
  let daemon: Socket | undefined;
  let outbox: Outbox | undefined;
  let idleSince = performance.now();

  function log(error: unknown): void {
    const file = `${folder}/host.log`;
    const text = error instanceof Error ? error.stack : String(error);
    try {
      const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
      if (size < MAX_LOG_BYTES)
        appendFileSync(file, `${new Date().toISOString()} ${text}\n`, {
          mode: 0o600,
        });
    } catch {
      // There is nowhere to say it.
    }
  }
  // One bad sequence in one terminal must not end the programs in all of them.
  process.on("uncaughtException", log);
  process.on("unhandledRejection", log);

  const send = (message: FromHost) => outbox?.send(message);

  function find(id: string): HostedTerminal {
    const terminal = terminals.get(id);
    if (!terminal) throw new Refusal("gone", `There is no terminal ${id}.`);
    return terminal;
  }

  async function end(): Promise<never> {
    const isOurs = (await inodeOf(path)) === inode;
    // Closing it removes its file as well.
    server.close();
    await Promise.all([...terminals.values()].map((one) => one.close()));
    if (isOurs) await unlink(`${path}.pid`).catch(() => {});
    process.exit(0);
  }

  const handlers: Handlers = {
    hello: () => ({
      protocol: PROTOCOL,
      pid: process.pid,
      pty: loaded.name,
      problem: loaded.name === null ? loaded.problem : null,
    }),
    ping: () => ({}),
    list: async () => ({
      items: await Promise.all(
        [...terminals.values()].map((one) => one.describe()),
      ),
    }),
    describe: ({ id }) => terminals.get(id)?.describe() ?? null,
    async open(opening) {
      if (loaded.name === null)
        throw new Refusal("unavailable", loaded.problem);
      const { id, cwd } = opening;
      const folderStats = await stat(cwd).catch(() => undefined);
      if (!folderStats?.isDirectory())
        throw new Refusal("folder", "The folder is not there.");
      try {
        const terminal = new HostedTerminal(
          loaded.pty,
          opening,
          courtesy,
          () => {
            const { exitCode, signal } = terminal.ending ?? {
              exitCode: null,
              signal: null,
            };
            send({ exited: id, exitCode, signal });
          },
        );
        terminals.set(id, terminal);
        return { pid: terminal.pid };
      } catch (error) {
        throw new Refusal("program", (error as Error).message);
      }
    },
    async close({ id }) {
      const terminal = terminals.get(id);
      terminals.delete(id);
      await terminal?.close();
      for (const [number, one] of viewers)
        if (one === terminal) viewers.delete(number);
      return {};
    },
    type: ({ id, text }) => find(id).type(text),
    run: ({ id, text }) => find(id).run(text),
    paste: ({ id, text }) => find(id).paste(text),
    async attach({ id, viewer }) {
      const terminal = find(id);
      viewers.set(viewer, terminal);
      // Of the daemon that asks, and of no other that comes after it.
      const sink = outbox?.sinkOf(viewer);
      if (sink) await terminal.attach(viewer, sink);
      // The viewer may have left before it was attached.
      if (!viewers.has(viewer)) terminal.detach(viewer);
      return {};
    },
    end() {
      setImmediate(() => void end());
      return {};
    },
  };

  async function answer(
    request: Extract<FromDaemon, { request: string }>,
  ): Promise<void> {
    const handle = handlers[request.request] as
      ((input: unknown) => unknown) | undefined;
    try {
      if (!handle) throw new Refusal("protocol", "This host does not know it.");
      send({ answer: request.id, result: await handle(request.input) });
    } catch (error) {
      if (!(error instanceof Refusal)) log(error);
      const code = error instanceof Refusal ? error.code : "failed";
      const { message } = error as Error;
      send({ answer: request.id, failed: { code, message } });
    }
  }

  function take(message: FromDaemon): void {
    if ("request" in message) {
      void answer(message);
    } else if ("left" in message) {
      viewers.get(message.viewer)?.detach(message.viewer);
      viewers.delete(message.viewer);
      outbox?.forget(message.viewer);
    } else {
      const { viewer, says } = message;
      viewers.get(viewer)?.hear(viewer, says).catch(log);
    }
  }

  function greet(socket: Socket): void {
    socket.on("error", () => {});
    if (!daemon) return serve(socket);
    // It has one, and two would type over each other. Perhaps the other is about to go.
    const impatience = setTimeout(() => socket.destroy(), PATIENCE_MS);
    daemon.once("close", () => {
      clearTimeout(impatience);
      if (!socket.destroyed) greet(socket);
    });
  }

  function serve(socket: Socket): void {
    daemon = socket;
    outbox = new Outbox(socket);
    const read = createFrameReader({
      message: (message) => take(message as FromDaemon),
      bytes(kind, viewer, data) {
        if (kind === FrameKind.input) viewers.get(viewer)?.input(viewer, data);
      },
    });
    socket.on("data", (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        log(error);
        socket.destroy();
      }
    });
    socket.on("close", () => {
      daemon = outbox = undefined;
      idleSince = performance.now();
      for (const [number, terminal] of viewers) terminal.detach(number);
      viewers.clear();
    });
  }

  const server = createServer({ noDelay: true }, greet);
  await new Promise<void>((resolve, reject) => {
    // Created with a private mode: other users must not connect before a mode could be set.
    const before = process.umask(0o177);
    server.once("error", reject).listen(path, () => {
      process.umask(before);
      resolve();
    });
  });
  const inode = await inodeOf(path);
  // Beside the socket: the daemon that started this process waits for it.
  await writeFile(`${path}.pid`, `${process.pid}\n`, { mode: 0o600 });
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => void end());
  process.on("SIGHUP", () => {});

  setInterval(() => {
    void (async () => {
      const isIdle =
        !daemon && [...terminals.values()].every(({ ending }) => ending);
      if (!isIdle) idleSince = performance.now();
      const isWanted =
        (await inodeOf(path)) === inode && (await isThere(folder));
      if (!isWanted || performance.now() - idleSince > idleMs) await end();
    })();
  }, WATCH_MS);
}

/** Something that the daemon is told by a code of its own. */
class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function inodeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ ino }) => ino,
    () => undefined,
  );
}

async function isThere(folder: string): Promise<boolean> {
  return (await inodeOf(folder)) !== undefined;
}
