import { definePlugin, defineRoute } from "@gantry/plugin";
import type { NewEvent, PluginDefinition } from "@gantry/plugin";
import { AgentDeleted, AgentMessages } from "@gantry/plugin-agents/contract";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";

/** Stands in for the agents plugin. */
export interface FakeAgents {
  readonly plugin: PluginDefinition;
  /** Agents by their ids, the newest first. */
  readonly agents: Map<string, { id: string; name: string }>;
  emit(event: NewEvent): Promise<void>;
  /** The prompts that agents received. */
  readonly prompts: Prompt[];
  /** Decide about the next prompts, in their order: an error refuses one. */
  readonly refusals: ((prompt: Prompt) => Error | undefined)[];
}

type Prompt = Parameters<AgentMessages["prompt"]>[0];

/** Creates the stand-in. */
export function createAgents(
  ...given: readonly { id: string; name: string }[]
): FakeAgents {
  const agents = new Map(given.map((agent) => [agent.id, agent]));
  const prompts: Prompt[] = [];
  const refusals: FakeAgents["refusals"] = [];
  let emit: (event: NewEvent) => Promise<void>;
  const plugin = definePlugin({
    id: "agents",
    api: 1,
    summary: "Agents of a test",
    mounts: ["/api/agents"],
    provides: [AgentMessages],
    events: [AgentDeleted],
    setup(ctx) {
      emit = (event) => ctx.emit(event);
      ctx.provide(AgentMessages, {
        describe: ({ agentId }: { agentId: string }) =>
          Promise.resolve(agents.get(agentId) ?? null),
        prompt(prompt: Prompt) {
          const error = refusals.shift()?.(prompt);
          if (error) return Promise.reject(error);
          prompts.push(prompt);
          return Promise.resolve({ taskId: "tsk_1", delivery: "sent" });
        },
      } as unknown as AgentMessages);
      ctx.route(
        defineRoute({
          method: "GET",
          path: "/api/agents",
          summary: "The agents",
          access: "session",
          query: pageQuery.extend({ q: z.string().optional() }),
          returns: pageOf(z.object({ id: z.string(), name: z.string() })),
          handle: ({ query: { q = "" } }) => ({
            items: [...agents.values()].filter(({ name }) => name.includes(q)),
            nextCursor: null,
          }),
        }),
      );
    },
  });
  return {
    ...{ plugin, agents, prompts, refusals },
    emit: (event) => emit(event),
  };
}
