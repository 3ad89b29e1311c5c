import { readdir, readFile } from "node:fs/promises";

/** By this variable the processes of a terminal are known, also those that left its session. */
export const TERMINAL_VARIABLE = "GANTRY_TERMINAL";

const GRACE_MS = 2_000;
const STEP_MS = 40;

/**
 * Ends every process of a terminal: hang-up and TERM, which shells and programs of the screen know, then KILL.
 * Resolves when none is left, or none that may be ended.
 *
 * @param leader Its first process, if that still runs.
 */
export async function endTree(
  terminal: string,
  leader: number | undefined,
): Promise<void> {
  const find = () => findTree(terminal, leader);
  let left = await find();
  for (const signal of ["SIGHUP", "SIGTERM", "SIGCONT"] as const)
    send(left, signal);
  for (let waited = 0; left.length > 0 && waited < GRACE_MS;) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    waited += STEP_MS;
    left = await find();
  }
  // What is still there may start more while it is ended.
  for (let round = 0; left.length > 0 && round < 5; round++) {
    send(left, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    left = await find();
  }
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already, or another user's.
    }
}

/** Processes of the terminal's session, and those that carry its mark. */
async function findTree(
  terminal: string,
  leader: number | undefined,
): Promise<number[]> {
  const needle = Buffer.from(`${TERMINAL_VARIABLE}=${terminal}\0`);
  const names = await readdir("/proc").catch(() => undefined);
  // A system without /proc: the group of the first process is what can be known.
  if (!names) return leader !== undefined && isThere(leader) ? [-leader] : [];
  const pids = names.map(Number).filter((pid) => pid > 0);
  const isIts = await Promise.all(
    pids.map(async (pid) => {
      if (pid === process.pid) return false;
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      const [state, , , session] = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ");
      // Waiting to be buried.
      if (!state || state === "Z" || state === "X") return false;
      if (leader !== undefined && Number(session) === leader) return true;
      const environment = await readFile(`/proc/${pid}/environ`).catch(
        () => undefined,
      );
      return environment?.includes(needle) ?? false;
    }),
  );
  return pids.filter((_, index) => isIts[index]);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
