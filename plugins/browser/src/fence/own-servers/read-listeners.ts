import { readdir, readFile, readlink } from "node:fs/promises";
import type { Run } from "@gantry/plugin";

/** State of a listening socket in the tables of proc_pid_net(5). */
const LISTENING = "0A";
/** Addresses that a page can reach through `localhost`; others are of no use to it. */
const REACHED_LOCALLY =
  /^(0{8}|0100007F|0{32}|0{24}01000000|0{16}FFFF0000(0{8}|0100007F))$/;
const MAX_AT_ONCE = 32;
const LSOF_TIMEOUT_MS = 4_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** A process of this machine that listens where `localhost` reaches it. */
export interface Listener {
  port: number;
  /** `undefined` where it belongs to another user. */
  pid: number | undefined;
  program: string | undefined;
  /** Its working directory, where the same command reports it. */
  cwd?: string | undefined;
}

/** Reads the listening processes, from /proc or with `lsof`. Finds none on a system that has neither. */
export async function readListeners(
  run: Run,
  signal: AbortSignal,
): Promise<Listener[]> {
  return (await readFromProc()) ?? (await readFromLsof(run, signal));
}

async function readFromProc(): Promise<Listener[] | undefined> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) =>
      readFile(`/proc/net/${name}`, "utf8").catch(() => undefined),
    ),
  );
  if (tables.every((table) => table === undefined)) return undefined;
  const sockets = new Map(
    tables.flatMap((table) => parseListening(table ?? "")),
  );
  const found: Listener[] = [];
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  for (let at = 0; at < pids.length; at += MAX_AT_ONCE)
    await Promise.all(
      pids.slice(at, at + MAX_AT_ONCE).map(async (pid) => {
        const ports = (await readSockets(pid)).flatMap(
          (inode) => sockets.get(inode) ?? [],
        );
        if (ports.length === 0) return;
        const program = await readProgram(pid);
        // A child process that inherited a server's socket is listed as well: any of them may be the agent's.
        for (const port of ports) found.push({ port, pid, program });
      }),
    );
  return found;
}

/** Ports by socket inode, from a table such as /proc/net/tcp. */
export function parseListening(table: string): [inode: string, port: number][] {
  return table.split("\n").flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, local = "", , state] = fields;
    const inode = fields[9];
    const [host = "", port = ""] = local.split(":");
    if (state !== LISTENING || !inode || !REACHED_LOCALLY.test(host)) return [];
    return [[inode, Number.parseInt(port, 16)] as [string, number]];
  });
}

async function readSockets(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(
    names.map((name) => readlink(`${folder}/${name}`).catch(() => "")),
  );
  return targets.flatMap(
    (target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [],
  );
}

async function readProgram(pid: number): Promise<string | undefined> {
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return name.trim() || undefined;
}

async function readFromLsof(
  run: Run,
  signal: AbortSignal,
): Promise<Listener[]> {
  const file = await run.find("lsof");
  if (file === undefined) return [];
  const collect = async (args: readonly string[]) => {
    const { stdout } = await run.collect(file, args, {
      signal,
      timeoutMs: LSOF_TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
    return stdout;
  };
  const listeners = parseLsof(
    await collect(["-nP", "-iTCP", "-sTCP:LISTEN", "-Fpcn"]),
  );
  const pids = [...new Set(listeners.map(({ pid }) => pid))];
  if (pids.length === 0) return [];
  const folders = new Map<number, string>();
  let pid = 0;
  const text = await collect(["-a", "-d", "cwd", "-p", pids.join(), "-Fpn"]);
  for (const line of text.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1));
    else if (line.startsWith("n")) folders.set(pid, line.slice(1));
  }
  return listeners.map((each) => ({
    ...each,
    cwd: folders.get(each.pid ?? 0),
  }));
}

/** Parses the output of `lsof -Fpcn`: one line for each field, which begins with the letter of the field. */
export function parseLsof(text: string): Listener[] {
  const found: Listener[] = [];
  let pid: number | undefined;
  let program: string | undefined;
  for (const line of text.split("\n")) {
    const value = line.slice(1);
    if (line.startsWith("p")) [pid, program] = [Number(value), undefined];
    else if (line.startsWith("c")) program = value;
    else if (line.startsWith("n")) {
      const [, host, port] = /^(.*):(\d+)$/.exec(value) ?? [];
      if (/^(\*|127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\])$/.test(host ?? ""))
        found.push({ port: Number(port), pid, program });
    }
  }
  return found;
}
