import type { PluginContext } from "@gantry/plugin";
import { isGantryError } from "@gantry/plugin";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import { sweepDrops } from "./drop-box.ts";
import type { Folders } from "./folders.ts";

const EVERY_NIGHT = "40 3 * * *";
const READ_AT_ONCE = 500;

/** Removes old attachments from the folders of all agents, every night. */
export function scheduleSweep(
  { cron, clock }: Pick<PluginContext, "cron" | "clock">,
  folders: Folders,
  { agents }: Records,
): void {
  const sweep = async ({ cwd }: AgentRecord) => {
    try {
      await sweepDrops(await folders.at(cwd), clock);
    } catch (error) {
      // One folder that is gone or closed to us is no reason to leave the others.
      if (!isGantryError(error)) throw error;
    }
  };
  const job = async (signal: AbortSignal) => {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await agents.list({
        limit: READ_AT_ONCE,
        ...(cursor ? { cursor } : {}),
      });
      for (const agent of page.items) {
        if (signal.aborted) return;
        await sweep(agent);
      }
      cursor = page.nextCursor;
    }
  };
  cron(EVERY_NIGHT, job, { timezone: "Etc/UTC" });
}
