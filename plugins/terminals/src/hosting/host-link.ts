import { on } from "node:events";
import { existsSync, watch } from "node:fs";
import { unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock, Log, Run } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { PROTOCOL } from "../wire/protocol.ts";
import type { HostGreeting } from "../wire/protocol.ts";
import { HostClient } from "./host-client.ts";
import type { HostEar } from "./host-client.ts";
import { socketPath } from "./socket-path.ts";

const START_MS = 10_000;
/**
 * Each terminal leaves megabytes of lines behind, which V8 would rather make room for than collect: it grew to three
 * times its size over a few hundred of them, for a gain that nothing of a terminal's work shows.
 */
const SMALL_HEAP = ["--max-semi-space-size=1", "--optimize-for-size"];
const MAX_TRIES = 3;
const HEARTBEAT_MS = 5_000;
/** A host that has not answered for so long does not answer any more. */
const SILENCE_MS = 15_000;
/** A host that goes down again and again is not started for ever. */
const MAX_RESTARTS = 5;
const RESTARTS_WITHIN_MS = 10 * 60_000;

/** Dependencies of the link to the host. */
export interface HostLinkOptions {
  folder: string;
  run: Run;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  ear: HostEar;
}

/**
 * The way to the host of the terminals: finds one that an earlier daemon left, starts one when it is needed, notices when
 * it hangs, and leaves it alone when the daemon stops.
 */
export class HostLink {
  readonly #options: HostLinkOptions;
  #client: HostClient | undefined;
  #opening: Promise<HostClient> | undefined;
  #connecting: Promise<HostClient | undefined> | undefined;
  #greeting: HostGreeting | undefined;
  /** When hosts went down, by the clock that only grows. */
  #crashes: number[] = [];

  constructor(options: HostLinkOptions) {
    this.#options = options;
  }

  /**
   * The host that is there already; `undefined` if there is none. Starts nothing.
   *
   * @throws `TERMINAL_UNAVAILABLE` if there may be one and it cannot be reached
   */
  async find(): Promise<HostClient | undefined> {
    if (this.#client && !this.#client.isLost) return this.#client;
    if (this.#opening) return this.#opening;
    return this.#connect();
  }

  /**
   * The host, started if it is not there.
   *
   * @throws `TERMINAL_UNAVAILABLE`
   */
  async get(): Promise<HostClient> {
    if (this.#client && !this.#client.isLost) return this.#client;
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Lets go of the host. What runs in it runs on; without anything in it, it ends. */
  async leave(): Promise<void> {
    const client = this.#client;
    if (!client || client.isLost) return;
    client.listen(NO_LISTENER);
    const list = await client.request("list", {}).catch(() => undefined);
    if (list?.items.length === 0)
      await client.request("end", {}).catch(() => {});
    client.close();
  }

  async #open(): Promise<HostClient> {
    const client = (await this.#connect()) ?? (await this.#start());
    if (this.#greeting?.pty === null) {
      const { problem } = this.#greeting;
      void client.request("end", {}).catch(() => {});
      client.close();
      throw errors.TERMINAL_UNAVAILABLE({
        reason: `neither node-pty nor @lydell/node-pty can be loaded (${problem}). Install one of them for the plugin "terminals".`,
      });
    }
    return client;
  }

  #connect(): Promise<HostClient | undefined> {
    // One at a time: the host would take the second for another daemon's.
    this.#connecting ??= this.#greet(MAX_TRIES).finally(
      () => (this.#connecting = undefined),
    );
    return this.#connecting;
  }

  async #greet(tries: number): Promise<HostClient | undefined> {
    const path = await socketPath(this.#options.folder);
    const client = await HostClient.connect(path).catch((cause: unknown) => {
      if (isAbsent(cause)) return undefined;
      if (isReset(cause) && tries > 1) return "reset";
      // Never taken for a host that is gone, since what runs in it would be ended.
      throw errors.TERMINAL_UNAVAILABLE(
        {
          reason:
            "their host process cannot be reached at the moment; try again.",
        },
        { cause },
      );
    });
    // It ended before it accepted the connection: the next try finds no listener.
    if (client === "reset") return this.#greet(tries - 1);
    if (!client) return undefined;
    const greeting = await client
      .request("hello", { protocol: PROTOCOL })
      .catch(() => undefined);
    if (!greeting) {
      // If it was about to end, the next try finds no listener.
      if (tries > 1) return this.#greet(tries - 1);
      throw errors.TERMINAL_UNAVAILABLE({
        reason: "their host process belongs to another daemon; try again.",
      });
    }
    if (greeting.protocol !== PROTOCOL) {
      // Of another version; what runs in it cannot be reached from here.
      this.#options.log.warn("Ended a host of another version", {
        protocol: greeting.protocol,
      });
      await client.request("end", {}).catch(() => {});
      client.close();
      return undefined;
    }
    this.#greeting = greeting;
    this.#client = client;
    client.listen({
      ...this.#options.ear,
      lost: () => {
        this.#crashes.push(this.#options.clock.monotonic());
        this.#options.log.warn("The host of the terminals has ended");
        this.#options.ear.lost();
      },
    });
    this.#beat(client, greeting.pid);
    return client;
  }

  async #start(): Promise<HostClient> {
    const { folder, run, clock, log, signal } = this.#options;
    const now = clock.monotonic();
    this.#crashes = this.#crashes.filter((at) => now - at < RESTARTS_WITHIN_MS);
    if (this.#crashes.length > MAX_RESTARTS)
      throw errors.TERMINAL_UNAVAILABLE({
        reason: `their host process ended ${this.#crashes.length} times within ten minutes; host.log in the terminals' data folder of the home tells why. It is tried again later.`,
      });
    const path = await socketPath(folder);
    // Nothing listens there, so it is left from a dead host.
    await unlink(path).catch(() => {});
    const limit = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
    // It writes into its folder once it listens. Watched before it starts: starting it may take longer than it needs.
    const watcher = watch(dirname(path), { signal: limit });
    const changes = on(watcher, "change", { signal: limit });
    try {
      await run.detach(
        process.execPath,
        [
          ...SMALL_HEAP,
          ...hostProgram(),
          ...["--socket", path, "--folder", folder],
        ],
        { cwd: folder, isHost: true },
      );
      for await (const _ of untilAborted(changes)) {
        const client = await this.#connect();
        if (!client) continue;
        log.info("Started the host of the terminals", {
          pid: this.#greeting?.pid,
          pty: this.#greeting?.pty,
        });
        return client;
      }
    } finally {
      watcher.close();
    }
    signal.throwIfAborted();
    throw errors.TERMINAL_UNAVAILABLE({
      reason: `their host process did not start within ${START_MS / 1000} s; ${folder}/host.log may tell why.`,
    });
  }

  /** Ends a host that does not answer any more, so that the next one can be started. */
  #beat(client: HostClient, pid: number): void {
    const { clock, log } = this.#options;
    let isAnswered = true;
    let silentSince = clock.monotonic();
    const beat = () => {
      if (client.isLost) return;
      const now = clock.monotonic();
      if (isAnswered) {
        isAnswered = false;
        silentSince = now;
        client.request("ping", {}).then(
          () => (isAnswered = true),
          () => {},
        );
      } else if (now - silentSince > SILENCE_MS) {
        log.error("The host of the terminals does not answer; it is ended", {
          pid,
        });
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // Gone already.
        }
        return;
      }
      clock.after(HEARTBEAT_MS, beat);
    };
    clock.after(HEARTBEAT_MS, beat);
  }
}

const NO_LISTENER: HostEar = { exited() {}, lost() {} };

/** Whether a connection failed because no host listens there. A busy system refuses connections for other reasons. */
function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ECONNREFUSED";
}

/** Whether a host listened and ended before it took the connection. */
function isReset(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ECONNRESET";
}

/** Ends a stream of changes when its signal aborts, instead of throwing. */
async function* untilAborted<Change>(
  changes: AsyncIterable<Change>,
): AsyncGenerator<Change> {
  try {
    yield* changes;
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
  }
}

/** The host's program: beside this file when it is built. From its source it takes the contract from there too. */
function hostProgram(): string[] {
  const built = fileURLToPath(new URL("host.mjs", import.meta.url));
  const source = fileURLToPath(new URL("../host/main.ts", import.meta.url));
  return existsSync(built) ? [built] : ["--conditions=gantry-source", source];
}
