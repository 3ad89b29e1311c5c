import type { EventRecord } from "@gantry/plugin";
import type { Items } from "../items/items.ts";
import type { Serial } from "../items/serial.ts";
import { closeCutOff } from "./cut-off-turns.ts";
import { settleDialog } from "./dialogs.ts";
import type { Markers } from "./markers.ts";

/** Dependencies of {@link createDeletedAgents}. */
export interface DeletedAgentsHost {
  items: Items;
  serial: Serial;
  /** Agents that were deleted. */
  gone: Markers;
}

/** Settles the items that wait on agents that were deleted. */
export interface DeletedAgents {
  agentDeleted(event: EventRecord<unknown>): Promise<void>;
  /** Finishes what a crash interrupted between the marker of an agent and its items. */
  resume(): Promise<void>;
}

/** Creates the handler. */
export function createDeletedAgents({
  items,
  serial,
  gone,
}: DeletedAgentsHost): DeletedAgents {
  async function settleAll(agentId: string): Promise<void> {
    for (const item of await items.waitingOn(agentId)) {
      if (item.dialog) await settleDialog(items, item, null);
      else await closeCutOff(items, item);
    }
  }

  return {
    agentDeleted: ({ subject }) =>
      serial(async () => {
        await gone.put(subject);
        await settleAll(subject);
      }),
    resume: () =>
      serial(async () => {
        for (const agentId of await gone.ids()) await settleAll(agentId);
      }),
  };
}
