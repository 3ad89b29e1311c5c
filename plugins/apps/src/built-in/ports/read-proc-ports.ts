import { readdir, readFile, readlink } from "node:fs/promises";
import { basename } from "node:path";
import type { ListeningPort } from "./listening-port.ts";

/** State of a socket that listens, in the tables of proc_pid_net(5). */
const LISTENING = "0A";
const NODE_MAIN_THREAD = "MainThread";
/** So many processes are looked at at a time. */
const AT_ONCE = 32;

/** Reads the ports from /proc. `undefined` on a system without it. */
export async function readProcPorts(
  proc = "/proc",
): Promise<ListeningPort[] | undefined> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) =>
      readFile(`${proc}/net/${name}`, "utf8").catch(() => undefined),
    ),
  );
  if (tables.every((table) => table === undefined)) return undefined;
  const sockets = tables.flatMap((table) => parseSockets(table ?? ""));
  const holders = await findHolders(
    proc,
    new Set(sockets.map(({ inode }) => inode)),
  );
  return sockets.map(({ inode, port, address }) => ({
    port,
    address,
    pid: holders.get(inode)?.pid,
    program: holders.get(inode)?.program,
  }));
}

/** The sockets that listen, of a table such as /proc/net/tcp. */
export function parseSockets(table: string) {
  return table.split("\n").flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, local = "", , state] = fields;
    const inode = fields[9];
    const [host = "", port = ""] = local.split(":");
    if (
      state !== LISTENING ||
      !inode ||
      !/^([\dA-F]{8}|[\dA-F]{32})$/.test(host)
    )
      return [];
    return [{ inode, port: parseInt(port, 16), address: toAddress(host) }];
  });
}

/** An address as the kernel writes it: words of four bytes, each in the order of the machine. */
function toAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).reverse().map((byte) => parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join(".");
  const isMapped =
    bytes.slice(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 255 &&
    bytes[11] === 255;
  if (isMapped) return bytes.slice(12).join(".");
  const parts = Array.from({ length: 8 }, (_, at) =>
    ((bytes[2 * at]! << 8) | bytes[2 * at + 1]!).toString(16),
  );
  // The URL parser knows the short form of an address.
  return new URL(`http://[${parts.join(":")}]`).hostname.slice(1, -1);
}

interface Holder {
  pid: number;
  program: string | undefined;
}

/** Which process holds each of some sockets. Those of other users are not found. */
async function findHolders(
  proc: string,
  inodes: ReadonlySet<string>,
): Promise<Map<string, Holder>> {
  const holders = new Map<string, Holder>();
  const pids = (await readdir(proc)).map(Number).filter((pid) => pid > 0);
  for (let at = 0; at < pids.length; at += AT_ONCE)
    await Promise.all(
      pids.slice(at, at + AT_ONCE).map(async (pid) => {
        const held = (await readSockets(proc, pid)).filter((inode) =>
          inodes.has(inode),
        );
        if (held.length === 0) return;
        const program = await readName(`${proc}/${pid}`);
        for (const inode of held)
          // A child that a server has started holds its socket as well: the oldest is the server.
          if (pid < (holders.get(inode)?.pid ?? Number.POSITIVE_INFINITY))
            holders.set(inode, { pid, program });
      }),
    );
  return holders;
}

/** Name of a program. The system has that of its main thread, which Node gives the same one in all its programs. */
async function readName(folder: string): Promise<string | undefined> {
  const name = await readFile(`${folder}/comm`, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
  if (name !== NODE_MAIN_THREAD) return name;
  return readlink(`${folder}/exe`).then(
    (file) => basename(file),
    () => name,
  );
}

/** Numbers of the sockets that a process has open. */
async function readSockets(proc: string, pid: number): Promise<string[]> {
  const folder = `${proc}/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(
    names.map((name) => readlink(`${folder}/${name}`).catch(() => "")),
  );
  return targets.flatMap(
    (target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [],
  );
}
