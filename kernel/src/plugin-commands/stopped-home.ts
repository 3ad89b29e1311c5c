import type { WholeHome } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { openHome } from "../home/home.ts";
import type { Home } from "../home/home.ts";
import { acquireLock } from "../home/lock.ts";
import { version } from "../version.ts";

/**
 * Takes a home, as a daemon does, for the time of a piece of work.
 *
 * @throws LockedError if a daemon has it
 */
export async function withStoppedHome<Result>(
  home: Home,
  work: (
    wholeHome: WholeHome,
    options: { signal: AbortSignal },
  ) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  await openHome(home);
  const lock = await acquireLock(home);
  try {
    return await work(createStoppedHome(home), { signal });
  } finally {
    await lock.release();
  }
}

function createStoppedHome(home: Home): WholeHome {
  const refuse = () => Promise.reject(errors.STORAGE_UNAVAILABLE());
  return {
    version,
    folder: home.folder,
    data: home.data,
    plugins: () => ({}),
    readStore: refuse,
    stage: refuse,
    replace: refuse,
    lastReplacement: async () => undefined,
    rehearse: refuse,
  };
}
