import { readlink, realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { Clock, DaemonView, Run } from "@gantry/plugin";
import { readListeners } from "./own-servers/read-listeners.ts";
import type { Listener } from "./own-servers/read-listeners.ts";

/** Results of a scan are used for this long; then they are refreshed in the background. */
const FRESH_MS = 3_000;
/** A scan is not repeated more often than this, however often a page tries. */
const MIN_SCAN_INTERVAL_MS = 500;

/** A server on this machine that belongs to an agent. */
export interface OwnServer {
  port: number;
  /** Name of the program, if it is known. */
  program: string | null;
}

/** Dependencies of {@link createOwnServers}. */
export interface OwnServersOptions {
  daemon: Pick<DaemonView, "pid" | "processes">;
  run: Run;
  clock: Pick<Clock, "monotonic">;
  signal: AbortSignal;
  /** The working folder of an agent; `null` for none. */
  folderOf(agentId: string): Promise<string | null> | string | null;
}

/**
 * The ports that agents' own programs listen on: processes that descend from the agent or have its folder as their
 * working directory.
 */
export interface OwnServers {
  /** As of the last scan; this call refreshes it in the background once it is older than 3 s. */
  portsOf(agentId: string): ReadonlySet<number>;
  /** Scans again, at most twice a second. Never rejects. */
  refresh(agentId: string): Promise<void>;
  /** Scans again and returns the servers, ordered by port. */
  list(agentId: string): Promise<OwnServer[]>;
}

interface Known {
  servers: readonly OwnServer[];
  ports: ReadonlySet<number>;
  scannedAt: number;
  scanning: Promise<void> | undefined;
}

/** Creates the view of agents' servers. Reads nothing until it is called. */
export function createOwnServers(options: OwnServersOptions): OwnServers {
  const { clock } = options;
  const byAgent = new Map<string, Known>();

  const get = (agentId: string): Known => {
    let known = byAgent.get(agentId);
    if (!known) {
      known = {
        servers: [],
        ports: new Set(),
        scannedAt: Number.NEGATIVE_INFINITY,
        scanning: undefined,
      };
      byAgent.set(agentId, known);
    }
    return known;
  };
  const age = ({ scannedAt }: Known) => clock.monotonic() - scannedAt;

  function scan(agentId: string, known: Known): Promise<void> {
    known.scanning ??= findOwnServers(agentId, options)
      .then(
        (servers) => {
          known.servers = servers;
          known.ports = new Set(servers.map(({ port }) => port));
        },
        () => {
          // A failed scan allows nothing.
          known.servers = [];
          known.ports = new Set();
        },
      )
      .finally(() => {
        known.scannedAt = clock.monotonic();
        known.scanning = undefined;
      });
    return known.scanning;
  }

  async function refresh(agentId: string): Promise<void> {
    const known = get(agentId);
    if (known.scanning || age(known) >= MIN_SCAN_INTERVAL_MS)
      await scan(agentId, known);
  }

  return {
    portsOf(agentId) {
      const known = get(agentId);
      if (age(known) >= FRESH_MS) void scan(agentId, known);
      return known.ports;
    },
    refresh,
    async list(agentId) {
      await refresh(agentId);
      return [...get(agentId).servers];
    },
  };
}

async function findOwnServers(
  agentId: string,
  options: OwnServersOptions,
): Promise<OwnServer[]> {
  const { daemon, run, signal } = options;
  const [listeners, programs, folder] = await Promise.all([
    readListeners(run, signal),
    daemon.processes(),
    toRealFolder(await options.folderOf(agentId)),
  ]);
  const pids = new Set(
    programs
      .filter(
        ({ subject }) => subject?.type === "agent" && subject.id === agentId,
      )
      .flatMap((program) => program.pids),
  );
  const isOwn = async ({ pid, cwd }: Listener): Promise<boolean> => {
    if (pid === undefined || pid === daemon.pid) return false;
    if (pids.has(pid)) return true;
    return (
      folder !== null && isInside(folder, cwd ?? (await readFolderOf(pid)))
    );
  };
  const found = new Map<number, OwnServer>();
  for (const listener of listeners)
    if (await isOwn(listener))
      found.set(listener.port, {
        port: listener.port,
        program: listener.program ?? null,
      });
  return [...found.values()].sort((one, other) => one.port - other.port);
}

async function toRealFolder(folder: string | null): Promise<string | null> {
  if (folder === null) return null;
  return realpath(folder).catch(() => null);
}

function isInside(folder: string, path: string | undefined): boolean {
  return path === folder || (path?.startsWith(folder + sep) ?? false);
}

function readFolderOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}
