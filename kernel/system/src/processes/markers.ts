import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { killMarkedProcesses } from "@gantry/plugin/processes";
import type { ProcessMoment } from "@gantry/plugin/processes";
import { replaceFile } from "@gantry/plugin/files";
import { bootId, identify, isSame } from "./identity.ts";
import type { ProcessIdentity } from "./identity.ts";

/** What is written down of a child, so that the next daemon can tell it from a stranger with the same number. */
interface Marker extends Partial<ProcessIdentity> {
  token: string;
  owner: string;
  /** Not known before it has started; then the token alone finds it. */
  pid?: number;
}

/** Name of the environment variable by which descendants of a child are found, also those that left its group. */
export const MARKER_VARIABLE = "GANTRY_PROCESS_TREE";
/** The same for a host that outlives the daemon and hands it on. No daemon ends what carries it as a leftover. */
export const DETACHED_VARIABLE = "GANTRY_DETACHED_TREE";

/** Files that name the children that are alive. */
export type Markers = ReturnType<typeof createMarkers>;

/** Opens the folder of markers. */
export function createMarkers(folder: string) {
  const fileOf = (token: string) => join(folder, `${token}.json`);

  async function endLeftover(marker: Marker): Promise<boolean> {
    const { pid, token } = marker;
    if ((await bootId()) !== marker.bootId) return false;
    if (pid === undefined || !(await isSame(marker, true)))
      return endMarked(token);
    killGroup(pid);
    return endMarked(token, [pid]);
  }

  return {
    /** Written before a child starts, and again with its number once it has one. */
    async write({ token, owner, pid }: Omit<Marker, "bootId">): Promise<void> {
      const identity =
        pid === undefined ? { bootId: await bootId() } : await identify(pid);
      const marker: Marker = { token, owner, ...identity };
      // Not flushed: it only has to outlive the daemon, and tells nothing after a crash of the machine.
      await replaceFile(fileOf(token), JSON.stringify(marker), {
        isFlushed: false,
      });
    },
    async remove(token: string): Promise<void> {
      await unlink(fileOf(token)).catch(() => {});
    },
    /** Ends what an earlier daemon left behind. Gives how many process groups were ended. */
    async endLeftovers(): Promise<number> {
      let ended = 0;
      const entries = await readdir(folder, { withFileTypes: true });
      for (const { name } of entries.filter((entry) => entry.isFile())) {
        const file = join(folder, name);
        // A marker that was being written when the daemon died names nothing that could be ended.
        const marker = await readFile(file, "utf8")
          .then((text) => JSON.parse(text) as Marker)
          .catch(() => undefined);
        if (marker && (await endLeftover(marker))) ended++;
        // What cannot be removed is tried at the next start; the daemon must start and the others must go.
        await unlink(file).catch(() => {});
      }
      return ended;
    },
  };
}

/** KILL to a process group. What is gone already is no fault. */
export function killGroup(
  pid: number,
  signal: NodeJS.Signals = "SIGKILL",
): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}

/**
 * KILL to all processes with a mark, and to what they start meanwhile. Resolves when all have ended; one that the system
 * holds is not waited for after 5 s. Gives whether there was any.
 */
export function endMarked(
  token: string,
  known: readonly number[] = [],
  since?: ProcessMoment,
): Promise<boolean> {
  return killMarkedProcesses(MARKER_VARIABLE, token, known, since);
}
