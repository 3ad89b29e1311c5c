import { readdirSync, readFileSync, readlinkSync } from "node:fs";

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A process may end while it is looked at.
    return "";
  }
}

/** All processes that descend from one, with their command lines. */
export function descendantsOf(root: number): Map<number, string> {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // The name of the program may hold anything, also parentheses and blanks.
    const [, fields = ""] = /\)([^)]*)$/.exec(read(`/proc/${name}/stat`)) ?? [];
    const parent = Number(fields.trim().split(" ")[1]);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const found = new Map<number, string>();
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const child of childrenOf.get(pid) ?? []) {
      found.set(child, read(`/proc/${child}/cmdline`).replaceAll("\0", " "));
      open.push(child);
    }
  }
  return found;
}

/** Memory of a process that is not swapped or shared away, in bytes. */
export function residentBytes(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s*(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes) * 1024;
}

/** Bytes that a process has read of files so far. */
export function bytesReadBy(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(read(`/proc/${pid}/io`))?.[1]);
}

/** Environment and arguments of a process. */
export function exposedText(pid: number): string {
  return read(`/proc/${pid}/environ`) + read(`/proc/${pid}/cmdline`);
}

/** Addresses on which a process listens, in the system's own spelling: `0100007F:1D0C`. */
export function listenersOf(pid: number): string[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
      } catch {
        return "";
      }
    }),
  );
  return ["tcp", "tcp6"].flatMap((table) =>
    read(`/proc/net/${table}`)
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, , , state, , , , , , inode]) =>
          state === "0A" && own.has(`socket:[${inode}]`),
      )
      .map(([, local]) => local ?? ""),
  );
}
