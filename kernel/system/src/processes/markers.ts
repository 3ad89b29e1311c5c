import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { killMarkedProcesses } from "@gantry/plugin-helpers/processes";
import type { ProcessMoment } from "@gantry/plugin-helpers/processes";
import { writeFileAtomic } from "../files/atomic-file.ts";
import { bootId, startTimeOf } from "./process-table.ts";

/** The stored record of a child, by which the next daemon distinguishes it from another process with the same id. */
interface Marker {
  token: string;
  owner: string;
  bootId: string | undefined;
  /** Unknown before the start; until then only the token identifies the child. */
  pid?: number;
  startTime?: string;
}

/** Files that record the running children. */
export interface Markers {
  /** Written before a child starts, and again with its process id afterwards. */
  write(child: { token: string; owner: string; pid?: number }): Promise<void>;
  remove(token: string): Promise<void>;
  /** Ends processes that an earlier daemon left behind. Returns the number of process groups that were ended. */
  endLeftovers(): Promise<number>;
}

/** Name of the environment variable by which descendants of a child are found, including those that left its group. */
export const MARKER_VARIABLE = "GANTRY_PROCESS_TREE";

/** Opens the folder of markers. */
export function createMarkers(folder: string): Markers {
  const fileOf = (token: string) => join(folder, `${token}.json`);
  const thisBoot = bootId();

  async function endLeftover(marker: Marker): Promise<boolean> {
    // After a reboot, process ids belong to other processes.
    if ((await thisBoot) !== marker.bootId) return false;
    const { pid, startTime, token } = marker;
    const isAlive =
      pid !== undefined &&
      startTime !== undefined &&
      (await startTimeOf(pid)) === startTime;
    if (!isAlive) return endMarked(token);
    killGroup(pid);
    return endMarked(token, [pid]);
  }

  return {
    async write({ token, owner, pid }) {
      const startTime = pid === undefined ? undefined : await startTimeOf(pid);
      const marker: Marker = {
        token,
        owner,
        bootId: await thisBoot,
        pid,
        startTime,
      };
      // Not flushed: it only has to outlive the daemon, and has no meaning after a crash of the machine.
      await writeFileAtomic(fileOf(token), JSON.stringify(marker), {
        isFlushed: false,
      });
    },
    async remove(token) {
      await unlink(fileOf(token)).catch(() => {});
    },
    async endLeftovers() {
      let ended = 0;
      const entries = await readdir(folder, { withFileTypes: true });
      for (const { name } of entries.filter((entry) => entry.isFile())) {
        const file = join(folder, name);
        // A marker that was being written when the daemon died names no process that could be ended.
        const marker = await readFile(file, "utf8")
          .then((text) => JSON.parse(text) as Marker)
          .catch(() => undefined);
        if (marker && (await endLeftover(marker))) ended++;
        // Files that cannot be removed are retried at the next start; they must not block the start or the other
        // markers.
        await unlink(file).catch(() => {});
      }
      return ended;
    },
  };
}

/** Sends KILL to a process group. Does nothing if it has already ended. */
export function killGroup(
  pid: number,
  signal: NodeJS.Signals = "SIGKILL",
): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}

/**
 * Sends KILL to all processes with a mark, and to those that they start meanwhile. Resolves when all have ended, or
 * after 5 s if the system keeps one. Returns whether there were any.
 */
export function endMarked(
  token: string,
  known: readonly number[] = [],
  since?: ProcessMoment,
): Promise<boolean> {
  return killMarkedProcesses(MARKER_VARIABLE, token, known, since);
}
