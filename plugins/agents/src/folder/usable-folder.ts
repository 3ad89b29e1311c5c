import { realpath, stat, statfs } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import type { PathGuard } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";

/** Folders whose files are the kernel's own, on any system that has them. */
const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];

/** Types of file systems whose files the kernel makes up while they are read: proc and sysfs, wherever mounted. */
const MADE_UP = new Set([0x9fa0, 0x62656572]);

/** Inside of them, but for the files of users, in memory. */
const SHARED_MEMORY = "/dev/shm";

/** Whether a path, with every link followed, is a folder of the system or inside one. */
export function isSystemPath(path: string): boolean {
  const isIn = (folder: string) =>
    path === folder || path.startsWith(folder + sep);
  return SYSTEM_FOLDERS.some(isIn) && !isIn(SHARED_MEMORY);
}

/** Whether the file system at a path has no files of its own, as `/proc`. */
export async function isMadeUp(path: string): Promise<boolean> {
  return MADE_UP.has((await statfs(path)).type);
}

const MISSING =
  "is not an existing folder given as an absolute path; create it first, or name another";
const REMOVED =
  "was removed with the agent's worktree; make the worktree again first";
const OF_THE_SYSTEM = "belongs to the operating system; name another folder";

/**
 * Checks the folder that an agent works in.
 *
 * @param guard Waits for the folder no longer than for any other.
 * @param field The field of a request that names it, which the refusal then points at.
 * @returns the folder with every link followed
 * @throws AGENT_FOLDER_INVALID if it is not an existing folder, or is one of the system; FOLDER_SILENT
 */
export async function checkFolder(
  guard: PathGuard,
  path: string,
  field?: string,
): Promise<string> {
  const refuse = (reason: string) => {
    const issue = { path: field ?? "", message: reason };
    return errors.AGENT_FOLDER_INVALID(
      { path, reason },
      field === undefined ? {} : { errors: [issue] },
    );
  };
  if (!isAbsolute(path) || path.includes("\0")) throw refuse(MISSING);
  return await guard.run(path, async () => {
    const real = await realpath(path).catch(() => undefined);
    const stats =
      real === undefined ? undefined : await stat(real).catch(() => undefined);
    if (real === undefined || !stats?.isDirectory()) throw refuse(MISSING);
    if (isSystemPath(real) || (await isMadeUp(real)))
      throw refuse(OF_THE_SYSTEM);
    return real;
  });
}

/**
 * Checks the folder of an agent that is there already, as {@link checkFolder} does.
 *
 * @throws AGENT_FOLDER_INVALID, also if it went with the agent's worktree; FOLDER_SILENT
 */
export async function checkAgentFolder(
  guard: PathGuard,
  { cwd, worktree }: Pick<AgentRecord, "cwd" | "worktree">,
): Promise<void> {
  if (worktree?.state === "removed")
    throw errors.AGENT_FOLDER_INVALID({ path: cwd, reason: REMOVED });
  await checkFolder(guard, cwd);
}
