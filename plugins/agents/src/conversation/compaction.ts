import { describeError, isGantryError } from "@gantry/plugin";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { CompactOutcome } from "../driver.ts";
import { errors } from "../errors.ts";
import { AgentBusy } from "../live/delivery.ts";
import type { Fleet } from "../live/fleet.ts";
import { checkCan } from "./conversation-branches.ts";

/** Shrinks conversations when the user asks for it. */
export class Compaction {
  readonly #host: { book: AgentBook; catalog: CliCatalog; fleet: Fleet };

  constructor(host: { book: AgentBook; catalog: CliCatalog; fleet: Fleet }) {
    this.#host = host;
  }

  /** @throws AGENT_UNSUPPORTED, AGENT_BUSY, AGENT_COMPACT_FAILED, and what keeps an agent from being started */
  async compact(agentId: string, signal: AbortSignal): Promise<CompactOutcome> {
    const { book, catalog, fleet } = this.#host;
    const agent = await book.get(agentId);
    checkCan(catalog, agent.cli, "compact");
    if (fleet.isTaken(agentId)) throw errors.AGENT_RUNNING();
    const live = await fleet.start(agentId, signal);
    try {
      return await live.compact(signal);
    } catch (error) {
      if (error instanceof AgentBusy) throw errors.AGENT_BUSY({ id: agentId });
      if (isGantryError(error)) throw error;
      const reason = describeError(error);
      throw errors.AGENT_COMPACT_FAILED({ reason }, { cause: error });
    }
  }
}
