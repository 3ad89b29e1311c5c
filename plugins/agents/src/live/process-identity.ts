import { readFile } from "node:fs/promises";
import {
  findSessionProcesses,
  readProcessStat,
} from "@gantry/plugin-helpers/processes";
import * as z from "zod";

// Field numbers of proc_pid_stat(5).
const STATE_FIELD = 3;
const SESSION_FIELD = 6;
const START_TIME_FIELD = 22;

/**
 * The identity of a process. The system reuses process ids, but never with the same start time within the same boot.
 */
export const processIdentity = z.object({
  pid: z.number().int().positive(),
  /** In clock ticks since the boot; `null` where the system does not report it. */
  startTime: z.string().nullable(),
  /** `null` where the system does not report it. */
  bootId: z.string().nullable().default(null),
});

export type ProcessIdentity = z.infer<typeof processIdentity>;

/** Reads the identity of a running process. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity> {
  const [startTime = null] =
    (await readProcessStat(pid, [START_TIME_FIELD])) ?? [];
  return { pid, startTime, bootId: await readBootId() };
}

/** Whether the process with this identity is alive. A zombie is not. */
export async function isProcessAlive(
  identity: ProcessIdentity,
): Promise<boolean> {
  const { pid, startTime } = identity;
  if (!(await isThisBoot(identity)) || !answersSignals(pid)) return false;
  const [state, now] =
    (await readProcessStat(pid, [STATE_FIELD, START_TIME_FIELD])) ?? [];
  if (state === "Z" || state === "X") return false;
  return startTime === null || now === undefined || now === startTime;
}

/**
 * Whether this process or another process of its session is alive. A launcher may exit before the program that it
 * launched.
 */
export async function isTreeAlive(identity: ProcessIdentity): Promise<boolean> {
  return (
    (await isProcessAlive(identity)) || (await findTree(identity)).length > 0
  );
}

/**
 * The processes of the session that this process leads or led. Empty if it never led one, so that a caller that ends
 * them does not end processes of another leader's session.
 */
export async function findTree(identity: ProcessIdentity): Promise<number[]> {
  const { pid, startTime } = identity;
  if (startTime === null || !(await isThisBoot(identity))) return [];
  const [now, session] =
    (await readProcessStat(pid, [START_TIME_FIELD, SESSION_FIELD])) ?? [];
  // The system reuses the process id of a session leader only when its session has no processes left.
  const isOther = now !== undefined && now !== startTime;
  const isMember = session !== undefined && Number(session) !== pid;
  return isOther || isMember ? [] : await findSessionProcesses(pid);
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function isThisBoot({ bootId }: ProcessIdentity): Promise<boolean> {
  const now = await readBootId();
  return bootId === null || now === null || bootId === now;
}

async function readBootId(): Promise<string | null> {
  const text = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(
    () => null,
  );
  return text?.trim() ?? null;
}
