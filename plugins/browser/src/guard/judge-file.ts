import { realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import type { Refusal } from "../fence/rules.ts";

/**
 * Judges a file that a page is given, from where it may leave the machine: it must be a regular file whose real path is
 * inside the folder. Synchronous, since calls are answered in order.
 */
export function judgeFile(path: string, folder: string | null): Refusal {
  if (folder === null) return "this agent has no folder to take files from";
  try {
    const real = realpathSync(path);
    if (!real.startsWith(realpathSync(folder) + sep))
      return "this file is not in the agent's folder";
    return statSync(real).isFile() ? null : "this is not a file";
  } catch {
    return "there is no such file";
  }
}
