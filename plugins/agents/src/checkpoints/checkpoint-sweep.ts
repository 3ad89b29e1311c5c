import type { PrivateGit } from "@gantry/git-kit";
import type { Clock, Log, PathGuard } from "@gantry/plugin";
import type { Records } from "../records/records.ts";
import { listAgents, removeAgent } from "./checkpoint-records.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { MAX_TOTAL_BYTES, MAX_WORK_MS } from "./limits.ts";
import { pack, tidy } from "./tidy.ts";

/** Dependencies of {@link CheckpointSweep}. */
export interface CheckpointSweepHost {
  checkpoints: Checkpoints;
  privateGit: PrivateGit;
  records: Records;
  guard: PathGuard;
  clock: Clock;
  log: Log;
}

/** Removes checkpoints that are too old, too many, or of agents and folders that are gone. */
export class CheckpointSweep {
  readonly #host: CheckpointSweepHost;

  constructor(host: CheckpointSweepHost) {
    this.#host = host;
  }

  /** Stops early when aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { checkpoints, privateGit, records, guard, clock, log } = this.#host;
    const { stores } = checkpoints;
    let total = 0;
    const all = async () => true;
    await stores.useEach(signal, all, async (repository, store) => {
      const host = {
        git: privateGit,
        now: clock.timestamp(),
        running: checkpoints.running,
        isDeleted: async (agentId: string) =>
          (await records.agents.get(agentId)) === undefined,
      };
      try {
        const bytes =
          store &&
          (await guard.run(store.places.folder, () => tidy(host, store), {
            deadlineMs: 2 * MAX_WORK_MS,
          }));
        const fits = bytes !== undefined && total + bytes <= MAX_TOTAL_BYTES;
        if (fits) total += bytes;
        else await stores.remove(repository);
      } catch (error) {
        if (signal.aborted) return;
        log.warn("Checkpoints could not be tidied", {
          folder: store?.places.folder ?? repository,
          cause: String(error),
        });
      }
    });
  }

  /** Removes what is kept of an agent. */
  async forget(agentId: string): Promise<void> {
    const { checkpoints, privateGit } = this.#host;
    const { stores } = checkpoints;
    const { signal } = new AbortController();
    const isTheirs = async (repository: string) =>
      (await listAgents(repository)).includes(agentId);
    await stores.useEach(signal, isTheirs, async (repository, store) => {
      const agents = await listAgents(repository);
      if (agents.length === 1 || !store) return await stores.remove(repository);
      await removeAgent(repository, agentId);
      await pack(privateGit, store);
    });
  }
}
