import type { CollectionDefinition, NewRecord } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import type { AgentUsage } from "../contract.ts";
import type { TurnRecord } from "../records/turn-record.ts";
import { usageSchema } from "../transcript/entry.ts";

/** The cost of a turn, kept until the plugin that keeps sums has acknowledged it. */
export const chargeSchema = z.object({
  ...storedFields,
  turnId: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  model: z.string().nullable(),
  automationId: z.string().nullable(),
  finishedAt: timestamp,
  stopReason: z.enum(["end", "cancelled", "refused", "error"]),
  usage: usageSchema,
  earlierUsage: usageSchema.nullable(),
});

export type ChargeRecord = z.infer<typeof chargeSchema>;

export const chargeCollection: CollectionDefinition<ChargeRecord> = {
  name: "turn-charge",
  version: 1,
  schema: chargeSchema,
};

type Charged = Omit<TurnRecord, "createdAt" | "updatedAt" | "revision">;

/** The charge for a turn that ended. It has the id of the turn, since there is one for each turn. */
export function toTurnCharge(turn: Charged): NewRecord<ChargeRecord> {
  const { id, agentId, agentName, model, automationId } = turn;
  const { finishedAt, stopReason, usage } = turn;
  return {
    ...{ id, turnId: id, agentId, agentName, model, automationId },
    ...{ finishedAt, stopReason, usage, earlierUsage: null },
  };
}

/**
 * The charge for usage that was reported after the end of its turn.
 *
 * @param turn The turn as it was charged before.
 */
export function toLateCharge(
  id: string,
  turn: Charged,
  usage: AgentUsage,
): NewRecord<ChargeRecord> {
  return { ...toTurnCharge(turn), id, usage, earlierUsage: turn.usage };
}
