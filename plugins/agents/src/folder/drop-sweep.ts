import { isGantryError, type Clock, type Log } from "@gantry/plugin";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import { sweepDrops } from "./drop-box.ts";
import type { Folders } from "./folders.ts";

const PAGE_SIZE = 500;

/** Dependencies of {@link createDropSweep}. */
export interface DropSweepHost {
  records: Records;
  folders: Folders;
  clock: Clock;
  log: Log;
}

/** Creates the job that removes old attachments from the folders of all agents. Failed removals are tried by the next run. */
export function createDropSweep({
  records,
  folders,
  clock,
  log,
}: DropSweepHost): (signal: AbortSignal) => Promise<void> {
  // Never rejects, so that a failure in one folder does not stop the sweep of the others.
  const sweep = async ({ id, cwd }: AgentRecord) => {
    const failures = await folders
      .at(cwd)
      .then((folder) => sweepDrops(folder, clock))
      .then(
        (swept) => swept.failures,
        (error: unknown) => [error],
      );
    // A missing or unreadable folder is reported wherever it is used, so it is not logged here.
    const [cause] = failures.filter((error) => !isGantryError(error));
    if (cause === undefined) return;
    const fields = { agent: id, files: failures.length, cause: String(cause) };
    log.warn("Old attachments could not be removed", fields);
  };
  return async (signal) => {
    for (let cursor: string | undefined; ;) {
      const page = await records.agents.list({ limit: PAGE_SIZE, cursor });
      for (const agent of page.items) {
        if (signal.aborted) return;
        await sweep(agent);
      }
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  };
}
