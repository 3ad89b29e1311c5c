import type { AgentMessages } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { Records } from "../records/records.ts";
import type { Composer } from "./composer.ts";
import type { Continuation } from "./continuation.ts";

/** Creates the service with which other plugins send messages to agents and answer their questions. */
export function createAgentMessages(host: {
  composer: Composer;
  continuation: Continuation;
  fleet: Fleet;
  records: Records;
}): AgentMessages {
  return {
    prompt: (input, signal) => host.composer.prompt(input, signal),
    continueTurn: ({ agentId, turnId }) =>
      host.continuation.continueTurn(agentId, turnId),
    async answerDialog({ agentId, dialogId, ...given }) {
      const live = host.fleet.get(agentId);
      if (!live) throw errors.DIALOG_CLOSED({ dialogId });
      await live.dialogs.answer(dialogId, given);
    },
    async describe({ agentId }) {
      const agent = await host.records.agents.get(agentId);
      if (!agent) return null;
      const { id, name, cwd, cli, state } = agent;
      return { id, name, cwd, cli, state };
    },
  };
}
