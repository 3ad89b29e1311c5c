import { readdir, readFile, readlink } from "node:fs/promises";

/** State of a listening socket in the kernel's table. */
const LISTEN = "0A";

/**
 * Names the process that listens on a port, for a message: `node (pid 1234)`. `undefined` where the system does not
 * tell, or the process is another user's.
 */
export async function findPortOwner(port: number): Promise<string | undefined> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return undefined;
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(
        () => "",
      );
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode === undefined || !inodes.has(inode)) continue;
      const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
      return `${name.trim() || "a process"} (pid ${pid})`;
    }
  }
  return undefined;
}

async function listeningInodes(port: number): Promise<Set<string>> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const inodes = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const text = await readFile(table, "utf8").catch(() => "");
    for (const line of text.split("\n").slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local?.endsWith(`:${hex}`) && state === LISTEN && inode)
        inodes.add(inode);
    }
  }
  return inodes;
}
