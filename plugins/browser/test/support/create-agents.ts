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
}

/** Creates the stand-in. */
export function createAgents(
  ...given: readonly { id: string; name: string }[]
): FakeAgents {
  const agents = new Map(given.map((agent) => [agent.id, agent]));
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
  return { plugin, agents, emit: (event) => emit(event) };
}
