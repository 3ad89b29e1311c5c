import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import type { AgentServers } from "@gantry/plugin-agents/contract";
import * as z from "zod";
import { agentIdInput } from "./inputs.ts";

/** Route that lists the servers of an agent whose pages can be opened. */
export function createServerRoute(
  servers: () => AgentServers | undefined,
): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/browser/servers",
    summary: "The servers that processes of an agent run",
    description:
      "Those that `localhost` reaches, by port; none while the plugin apps, which finds them, is not active. Listing one allows nothing: its address is opened by the rules of tabs.",
    access: "session",
    query: z.strictObject({ agentId: agentIdInput }),
    returns: z.object({
      items: z.array(
        z.object({
          port: z.int(),
          program: z.string().nullable(),
          url: z.string(),
        }),
      ),
    }),
    async handle({ query, signal }) {
      const found = await servers()?.list(query, signal);
      return {
        items: (found?.items ?? []).map(({ port, program }) => ({
          ...{ port, program },
          url: `http://localhost:${port}/`,
        })),
      };
    },
  });
}
