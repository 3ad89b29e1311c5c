import { readFile } from "node:fs/promises";
import {
  findSessionProcesses,
  readProcessStat,
} from "@gantry/plugin/processes";
import * as z from "zod";

/** Of proc_pid_stat(5). */
const STATE_FIELD = 3;
const SESSION_FIELD = 6;
const START_TIME_FIELD = 22;

/**
 * The lasting identity of a process: the system reuses its number later, but never with the same start time in
 * the same boot.
 */
export const processIdentity = z.object({
  pid: z.number().int().positive(),
  /** In the system's own unit, since its boot; `null` where the system does not tell. */
  startTime: z.string().nullable(),
  /** `null` where the system does not tell. */
  bootId: z.string().nullable().default(null),
});

export type ProcessIdentity = z.infer<typeof processIdentity>;

/** The identity of a process that is alive. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity> {
  const [startTime = null] =
    (await readProcessStat(pid, [START_TIME_FIELD])) ?? [];
  return { pid, startTime, bootId: await readBootId() };
}

/** Whether this very process is alive. One that has ended and was not reaped is not. */
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
 * Whether this process or anything that it started in its session is alive. A launcher may end before the program that
 * it launched.
 */
export async function isTreeAlive(identity: ProcessIdentity): Promise<boolean> {
  return (
    (await isProcessAlive(identity)) || (await findTree(identity)).length > 0
  );
}

/**
 * The processes of the session that this process leads or led. None if it never led one, so that ending them never
 * reaches a process that only shares a session with it.
 */
export async function findTree(identity: ProcessIdentity): Promise<number[]> {
  const { pid, startTime } = identity;
  if (startTime === null || !(await isThisBoot(identity))) return [];
  const [now, session] =
    (await readProcessStat(pid, [START_TIME_FIELD, SESSION_FIELD])) ?? [];
  // The number of a leader is given away only when nothing is left of its session.
  const isOther = now !== undefined && now !== startTime;
  const isMember = session !== undefined && Number(session) !== pid;
  return isOther || isMember ? [] : await findSessionProcesses(pid);
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive all the same.
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
