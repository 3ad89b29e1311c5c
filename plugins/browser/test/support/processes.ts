import { readFile, readdir } from "node:fs/promises";

/** A process of this machine. */
export interface SeenProcess {
  pid: number;
  /** Its arguments, separated by zero bytes. */
  command: string;
}

/**
 * Processes with a text in their command line or environment, such as the folder of a profile, and their descendants, which
 * need not have it.
 */
export async function processesWith(text: string): Promise<SeenProcess[]> {
  const all = await readAll();
  const isFound = (each: SeenProcess & { parent: number; text: string }) =>
    each.text.includes(text);
  const found = new Map(
    all.filter(isFound).map((each) => [each.pid, each] as const),
  );
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const each of all)
      if (found.has(each.parent)) found.set(each.pid, each);
  }
  return [...found.values()];
}

/** Those of these processes that still run. */
export async function runningOf(
  processes: readonly SeenProcess[],
): Promise<SeenProcess[]> {
  const running = new Set((await readAll()).map(({ pid }) => pid));
  return processes.filter(({ pid }) => running.has(pid));
}

/** All processes but those that have ended and are not yet collected by their parents. */
async function readAll() {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    names.map(async (name) => {
      const [command, environment, stat] = await Promise.all(
        ["cmdline", "environ", "stat"].map((file) =>
          readFile(`/proc/${name}/${file}`, "utf8").catch(() => ""),
        ),
      );
      const [state, parent] = stat!
        .slice(stat!.lastIndexOf(")") + 2)
        .split(" ");
      return {
        ...{ pid: Number(name), command: command!, state },
        ...{ parent: Number(parent), text: `${command}\0${environment}` },
      };
    }),
  );
  return all.filter(({ state }) => state && state !== "Z" && state !== "X");
}
