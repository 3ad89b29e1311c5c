import { isGantryError, type Clock, type Log } from "@gantry/plugin";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import { sweepDrops } from "./drop-box.ts";
import { LONG_DEADLINE_MS } from "./folder-guard.ts";
import type { Folders } from "./folders.ts";

const READ_AT_ONCE = 500;

/** Dependencies of {@link createDropSweep}. */
export interface DropSweepHost {
  records: Records;
  folders: Folders;
  clock: Clock;
  log: Log;
}

/** Makes the job that removes old attachments from the folders of all agents. What cannot be removed stays for the next. */
export function createDropSweep({
  records,
  folders,
  clock,
  log,
}: DropSweepHost): (signal: AbortSignal) => Promise<void> {
  // Whatever is wrong with one folder is no reason to leave the others.
  const sweep = async ({ id, cwd }: AgentRecord) => {
    const failures = await folders
      .useAt(cwd, (folder) => sweepDrops(folder, clock), {
        deadlineMs: LONG_DEADLINE_MS,
      })
      .then(
        (swept) => swept.failures,
        (error: unknown) => [error],
      );
    // A folder that is gone or closed to us says so itself wherever it is asked for.
    const [cause] = failures.filter((error) => !isGantryError(error));
    if (cause === undefined) return;
    const fields = { agent: id, files: failures.length, cause: String(cause) };
    log.warn("Old attachments could not be removed", fields);
  };
  return async (signal) => {
    for (let cursor: string | undefined; ;) {
      const page = await records.agents.list({ limit: READ_AT_ONCE, cursor });
      for (const agent of page.items) {
        if (signal.aborted) return;
        await sweep(agent);
      }
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  };
}
