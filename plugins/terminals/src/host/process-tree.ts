import { readFile } from "node:fs/promises";
import {
  findMarkedProcesses,
  findSessionProcesses,
  killMarkedProcesses,
  killSessionProcesses,
  readProcessStat,
} from "@gantry/plugin/processes";

/** By this variable the processes of a terminal are known, also those that left its session. */
export const TERMINAL_VARIABLE = "GANTRY_TERMINAL";

const GRACE_MS = 2_000;
const STEP_MS = 40;
/** Of proc_pid_stat(5). */
const STATE_FIELD = 3;

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
  const refused = new Set<number>();
  const find = async () =>
    (await findTree(terminal, leader)).filter((pid) => !refused.has(pid));
  const send = (pids: readonly number[], signal: NodeJS.Signals) => {
    for (const pid of pids) if (!sendSignal(pid, signal)) refused.add(pid);
  };
  let left = await find();
  for (const signal of ["SIGHUP", "SIGTERM", "SIGCONT"] as const)
    send(left, signal);
  left = left.filter((pid) => !refused.has(pid));
  const deadline = performance.now() + GRACE_MS;
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    left = await find();
  }
  // What is still there may start more while it is ended.
  for (let round = 0; left.length > 0 && round < 5; round++) {
    send(left, "SIGKILL");
    await killMarkedProcesses(TERMINAL_VARIABLE, terminal);
    if (leader !== undefined) await killSessionProcesses(leader);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    left = await find();
  }
}

/** Id of the terminal that a process carries the mark of; `undefined` if it has none, and on a system without /proc. */
export async function findTerminalId(pid: number): Promise<string | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(
    () => "",
  );
  const prefix = `${TERMINAL_VARIABLE}=`;
  const mark = environment.split("\0").find((text) => text.startsWith(prefix));
  return mark?.slice(prefix.length);
}

/** Sends a signal to a process. Returns `false` if that is not permitted. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // Otherwise it is gone already.
    return (error as { code?: string }).code !== "EPERM";
  }
}

/** Processes of the terminal's session, and those that carry its mark. */
async function findTree(
  terminal: string,
  leader: number | undefined,
): Promise<number[]> {
  const session = leader === undefined ? [] : await findSession(leader);
  const marked = await findMarkedProcesses(TERMINAL_VARIABLE, terminal);
  return [...new Set([...session, ...marked])];
}

async function findSession(leader: number): Promise<number[]> {
  const isKnown = await readProcessStat(process.pid, [STATE_FIELD]);
  // A system without /proc: the group of the first process is what can be known.
  if (!isKnown) return isThere(leader) ? [-leader] : [];
  const found = await findSessionProcesses(leader);
  return found.filter((pid) => pid !== process.pid);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
