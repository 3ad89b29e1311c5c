import { readFile } from "node:fs/promises";

/** What the system tells of a process, `undefined` if it is gone or the system does not tell. */
async function readStat(
  pid: number,
): Promise<{ state: string; startTime: string } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(
    () => undefined,
  );
  // The name of the program stands in parentheses and may hold anything; the state is the first field after it.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields && { state: fields[0] ?? "", startTime: fields[19] ?? "" };
}

/** When a process started, in the system's own unit; `null` if it is gone or the system does not tell. */
export async function startTimeOf(pid: number): Promise<string | null> {
  return (await readStat(pid))?.startTime ?? null;
}

/** Tells whether a process that was seen before is still the one with this number, and alive. */
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
  const now = await readStat(pid);
  // A process that has ended answers signals until somebody takes notice of its end, which may be never.
  if (now?.state === "Z" || now?.state === "X") return false;
  return startTime === null || now === undefined || now.startTime === startTime;
}
