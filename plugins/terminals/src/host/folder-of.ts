import { readlink } from "node:fs/promises";

/**
 * The folder that a process is in. `first`, where it is to start, if the system does not tell, and as long as its program
 * has not started: until then it is a copy of this process, in the same folder.
 */
export async function folderOf(pid: number, first: string): Promise<string> {
  try {
    const [folder, program, own] = await Promise.all(
      [`${pid}/cwd`, `${pid}/exe`, "self/exe"].map((name) =>
        readlink(`/proc/${name}`),
      ),
    );
    const isCopy = program === own && folder === process.cwd();
    return folder === undefined || isCopy ? first : folder;
  } catch {
    return first;
  }
}
