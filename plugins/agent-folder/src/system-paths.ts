import { statfs } from "node:fs/promises";
import { sep } from "node:path";

/** Folders whose files are the kernel's own, on any system that has them. */
const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];

/** Types of file systems whose files are generated while they are read: proc and sysfs, wherever mounted. */
const SYNTHETIC_TYPES = new Set([0x9fa0, 0x62656572]);

/** Below `/dev`, but for the files of users, in memory. */
const SHARED_MEMORY = "/dev/shm";

/** Whether a path without links is a folder of the operating system or inside one. */
export function isSystemPath(path: string): boolean {
  const isIn = (folder: string) =>
    path === folder || path.startsWith(folder + sep);
  return SYSTEM_FOLDERS.some(isIn) && !isIn(SHARED_MEMORY);
}

/** Whether the file system at a path keeps no files, as `/proc`. */
export async function isSyntheticFileSystem(path: string): Promise<boolean> {
  return SYNTHETIC_TYPES.has((await statfs(path)).type);
}
