import { api, useResource, useToast } from "@gantry/ui-kit";
import { computed, type ComputedRef, type Ref } from "vue";
import type { Agent } from "../wire.ts";

/** Messages that the user has the agent sent with a button. */
export interface AgentRequests {
  readonly agent: Readonly<Ref<Agent | undefined>>;
  /** Why the agent cannot answer right now, in a sentence; `undefined` if it can. */
  readonly busy: ComputedRef<string | undefined>;
  /** Sends a message. During a turn it waits for its end. Gives the task; `undefined` if it was not taken, which is told. */
  ask(message: string): Promise<string | undefined>;
  /** Sends a message and says so. Tells whether it was taken. */
  send(message: string): Promise<boolean>;
}

/** Sends the agent what the changes pane asks of it. */
export function useAgentRequests(agentId: string): AgentRequests {
  const path = `/api/agents/${agentId}`;
  const toast = useToast();
  const agent = useResource<Agent>(path, {
    refreshOn: ["agents.agent-changed"],
    refreshIf: ({ subject }) => subject === agentId,
  });
  async function ask(message: string): Promise<string | undefined> {
    try {
      const { taskId } = await api.post<{ taskId: string }>(`${path}/prompt`, {
        body: { message },
      });
      return taskId;
    } catch (thrown) {
      toast.failure("It was not sent to the agent", thrown);
      return undefined;
    }
  }

  return {
    agent: agent.data,
    ask,
    busy: computed(() => {
      const { value } = agent.data;
      if (!value) return "The agent is not known yet.";
      if (value.state === "closed") return "The agent is closed: start it.";
      if (value.mode === "terminal") return "The agent is in a terminal.";
      if (value.activity === "waiting") return "The agent needs input first.";
      return value.activity === "working" ? "The agent is working." : undefined;
    }),
    async send(message) {
      const isTaken = (await ask(message)) !== undefined;
      if (isTaken) toast.success("Sent to the agent");
      return isTaken;
    },
  };
}
