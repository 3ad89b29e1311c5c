import { defineService } from "@gantry/plugin";
import type { AgentUsage } from "@gantry/agent-kit";

/** An amount to add to the sums of the cost of turns. */
export interface TurnCharge {
  id: string;
  turnId: string;
  agentId: string;
  agentName: string;
  /** `null` if the CLI did not name it. */
  model: string | null;
  automationId: string | null;
  /** When the turn ended: RFC 3339 UTC with milliseconds. */
  finishedAt: string;
  stopReason: "end" | "cancelled" | "refused" | "error";
  /** What to add; unknown figures are `null`. */
  usage: AgentUsage;
  /**
   * The usage charged for the turn before. `null` for the first charge of the turn, which also counts the turn itself.
   */
  earlierUsage: AgentUsage | null;
}

/** Usage of an agent on a UTC day, as summed by earlier versions of this plugin. */
export interface EarlierUsageSums {
  /** `YYYY-MM-DD`. */
  day: string;
  agentId: string;
  /** As they were stored. */
  sums: object;
}

/**
 * Charges of turns, for the one plugin that keeps sums. A charge is stored in the same batch as its turn. It stays pending
 * until it is acknowledged, even while that plugin is disabled; after 732 days it is dropped.
 */
export interface TurnCharges {
  /** The charges that are not acknowledged, oldest first; `limit` is 1 to 500. */
  pending(
    input: { limit: number },
    signal: AbortSignal,
  ): Promise<{ items: TurnCharge[] }>;
  /**
   * Removes charges; ignores unknown ids. Store the sums together with the ids of the charges first: after a crash,
   * {@link pending} may return the same charges again.
   */
  acknowledge(
    input: { ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<void>;
  /** The sums of turns from before charges were stored, page by page. They never change. */
  listEarlierSums(
    input: { cursor?: string },
    signal: AbortSignal,
  ): Promise<{ items: EarlierUsageSums[]; nextCursor: string | null }>;
}

/** Token of the service {@link TurnCharges}. */
export const TurnCharges = defineService<TurnCharges>("agents.charges@1");
