import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { OwnServers } from "../fence/own-servers.ts";

/** Route that lists the servers of an agent. */
export function createServerRoute(
  servers: Pick<OwnServers, "list">,
): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/browser/servers",
    summary: "The servers that an agent's programs run",
    description:
      "Ports of this machine on which a program of the agent listens, or one that runs in its folder.",
    access: "session",
    query: z.strictObject({ agentId: z.string().min(1).max(100) }),
    returns: z.object({
      items: z.array(
        z.object({
          port: z.int(),
          program: z.string().nullable(),
          url: z.string(),
        }),
      ),
    }),
    handle: async ({ query: { agentId } }) => ({
      items: (await servers.list(agentId)).map((server) => ({
        ...server,
        url: `http://localhost:${server.port}/`,
      })),
    }),
  });
}
