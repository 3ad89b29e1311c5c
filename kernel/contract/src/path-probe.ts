import type { Clock } from "./clock.ts";
import type { Run } from "./process.ts";

/** Processes that look at paths at the same time; other paths wait. Each is small, and those of dead disks are in use for long. */
const MAX_PROBES = 256;
/** A process that has not looked by then is killed. It is started again if a caller still waits for the path. */
const PROBE_MS = 5_000;

/** Looks in processes of their own whether paths answer. */
export interface PathProbe {
  /** Has a path looked at, if that is not done already. Its end is told to what {@link createPathProbe} was given. */
  look(path: string): void;
}

/** Dependencies of {@link createPathProbe}. */
export interface PathProbeHost {
  /** Measures the 5 s after which a process is killed. */
  clock: Pick<Clock, "after">;
  /** Starts `find`, which reads the path. */
  run: Run;
}

/**
 * Makes a probe. A process that waits for a disk may live on after KILL; there is never more than one for a path.
 *
 * @param onEnd Called for each path that was looked at, with whether it answered: with what it holds, or that it is not there.
 *   Where no process can be started, that counts as an answer.
 */
export function createPathProbe(
  { clock, run }: PathProbeHost,
  onEnd: (path: string, hasAnswered: boolean) => void,
): PathProbe {
  const looking = new Set<string>();
  return {
    look(path) {
      if (looking.has(path) || looking.size >= MAX_PROBES) return;
      looking.add(path);
      void look(path)
        .catch(() => true)
        .then((hasAnswered) => {
          looking.delete(path);
          onEnd(path, hasAnswered);
        });
    },
  };

  async function look(path: string): Promise<boolean> {
    const find = await run.find("find");
    if (find === undefined) return true;
    // Follows links, and reads the first entry of the folder and of each folder in it: a dead disk may be mounted there.
    const child = await run(find, ["-L", path, "-maxdepth", "1", "-empty"]);
    child.stdout.resume();
    child.stderr.resume();
    const cancel = clock.after(PROBE_MS, () => void child.kill());
    const { signal } = await child.exited;
    cancel();
    return signal === null;
  }
}
