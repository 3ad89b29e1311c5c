import type { Store, StoreOperation } from "@gantry/plugin";
import * as z from "zod";
import { permissionsView } from "../wire/automation.ts";

/** What a run needs to begin, as it was when the run was admitted. */
const queuedRun = z.object({
  /** Runs begin in ascending order. */
  position: z.number().int(),
  agentId: z.string(),
  freshSession: z.boolean(),
  /** With the payload of the webhook call, if there was one. */
  prompt: z.string(),
  timeoutMs: z.number().int(),
  permissions: permissionsView,
  maxCostUsd: z.number().nullable(),
  /** Whether the spend limits left less than the run's own cap. */
  isCostCut: z.boolean(),
});

export type QueuedRun = Omit<z.infer<typeof queuedRun>, "position">;

/**
 * Runs that wait for a concurrency slot. They are stored, so that a run that never began is not lost with the daemon:
 * its caller was answered that it was accepted.
 */
export interface QueuedRuns {
  /** Operations for the batch that records the run. */
  toAdd(runId: string, run: QueuedRun): StoreOperation[];
  /** Operations for the batch that records that the run began, ended or was deleted. Harmless if it is not queued. */
  toRemove(runId: string): StoreOperation[];
  /** All of them in the order in which they were queued; one that cannot be read is left out. */
  read(): Promise<{ runId: string; run: QueuedRun }[]>;
}

const PREFIX = "queued-run:";
const PAGE = 100;

export function openQueuedRuns(store: Store): QueuedRuns {
  let lastPosition = 0;
  return {
    toAdd: (runId, run) => [
      {
        type: "set",
        key: PREFIX + runId,
        value: { ...run, position: ++lastPosition },
      },
    ],
    toRemove: (runId) => [{ type: "remove", key: PREFIX + runId }],
    async read() {
      const found: (z.infer<typeof queuedRun> & { runId: string })[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list(PREFIX, { limit: PAGE, cursor });
        for (const { key, value } of page.items) {
          const { data } = queuedRun.safeParse(value);
          if (data) found.push({ ...data, runId: key.slice(PREFIX.length) });
        }
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      found.sort((one, other) => one.position - other.position);
      lastPosition = Math.max(lastPosition, found.at(-1)?.position ?? 0);
      return found.map(({ runId, position: _, ...run }) => ({ runId, run }));
    },
  };
}
