import { readFile, readdir } from "node:fs/promises";

/** Processes with a text in their command line or environment, such as the folder of a profile. */
export async function processesWith(
  text: string,
): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const read = (file: string) =>
      readFile(`/proc/${name}/${file}`, "utf8").catch(() => "");
    const command = await read("cmdline");
    if (command.includes(text) || (await read("environ")).includes(text))
      found.push({ pid: Number(name), command });
  }
  return found;
}
