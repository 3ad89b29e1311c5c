import { readFile } from "node:fs/promises";

/** When a process started, in the system's own unit; `null` if it is gone or the system does not tell. */
export async function startTimeOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(
    () => undefined,
  );
  // The name of the program stands in parentheses and may hold anything; field 22 is the 20th after it.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

/** Tells whether a process that was seen before is still the one with this number. */
export async function isSameProcess(
  pid: number,
  startTime: string | null,
): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user is alive all the same.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = await startTimeOf(pid);
  return startTime === null || now === null || now === startTime;
}
