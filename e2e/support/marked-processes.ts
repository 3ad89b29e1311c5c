import { readdir, readFile } from "node:fs/promises";

/** Commands of all processes that a daemon started, whichever daemon that was, whose folder or arguments name a path. */
export async function findMarkedProcesses(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const read = (name: string) =>
      readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    const environment = await read("environ");
    if (!environment.includes("GANTRY_PROCESS_TREE=")) continue;
    const command = (await read("cmdline")).replaceAll("\0", " ").trim();
    if (command.includes(path) || environment.includes(path)) {
      found.push(`${pid}: ${command}`);
    }
  }
  return found;
}
