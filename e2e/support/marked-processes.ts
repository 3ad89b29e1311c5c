import { readFile } from "node:fs/promises";
import { findMarkedProcesses as findPids } from "@gantry/plugin-helpers/processes";

/** Commands of all processes that a daemon started, whichever daemon that was, whose folder or arguments name a path. */
export async function findMarkedProcesses(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await findPids("GANTRY_PROCESS_TREE")) {
    const read = (name: string) =>
      readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    const command = (await read("cmdline")).replaceAll("\0", " ").trim();
    if (command.includes(path) || (await read("environ")).includes(path))
      found.push(`${pid}: ${command}`);
  }
  return found;
}
