import { readFile, readdir } from "node:fs/promises";

/** Command lines of all processes that contain a text, such as the folder of a profile. */
export async function processesWith(
  text: string,
): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const command = await readFile(`/proc/${name}/cmdline`, "utf8").catch(
      () => "",
    );
    if (command.includes(text)) found.push({ pid: Number(name), command });
  }
  return found;
}

/** The newest of the browser's main processes: the one without `--type`, not a wrapper script. */
export async function browserProcesses(text: string): Promise<number[]> {
  const all = await processesWith(text);
  return all
    .filter(
      ({ command }) =>
        command.includes("--remote-debugging-pipe") &&
        !command.includes("--type="),
    )
    .map(({ pid }) => pid);
}
