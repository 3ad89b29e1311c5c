import {
  createPathGuard,
  type Clock,
  type PathGuard,
  type Run,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import { showPath } from "./folder-path.ts";

/** Time for what takes long in large folders: git, searches, and what a CLI would run. */
export const LONG_DEADLINE_MS = 25_000;

/** Makes the guard of the folders of agents: one that never answers ends in FOLDER_SILENT and does not hold up others. */
export function createFolderGuard(clock: Clock, run: Run): PathGuard {
  return createPathGuard({
    clock,
    run,
    refuse: (path, deadlineMs) =>
      errors.FOLDER_SILENT({
        path: showPath(path),
        seconds: Math.round(deadlineMs / 1000),
      }),
  });
}
