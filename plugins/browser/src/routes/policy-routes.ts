import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import { pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import { normalizeSite } from "../records/normalize-site.ts";
import type { Policies } from "../records/policies.ts";
import { policy, TIERS } from "../records/schemas.ts";
import { checkAgent } from "./check-agent.ts";
import { convertedText, recordQuery } from "./inputs.ts";

const MAX_SITES = 200;
const MAX_SITE_LENGTH = 260;

const siteInput = convertedText(
  MAX_SITE_LENGTH,
  normalizeSite,
  "must be a host name such as example.com, *.example.com, * for all public sites, or localhost:PORT",
);

/** Routes that list and set what agents may do. */
export function createPolicyRoutes(
  policies: Policies,
  messages: () => AgentMessages | undefined,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/policies",
      summary: "What each agent may do in a browser",
      description:
        "Newest first; an agent that is not listed may do nothing. `q` finds those that have all of its words in the agent's id, the tier or the sites.",
      access: "session",
      query: recordQuery,
      returns: pageOf(policy),
      handle: ({ query }) => policies.list(query),
    }),
    defineRoute({
      method: "PUT",
      path: "/api/browser/policies/{agentId}",
      summary: "Decide what an agent may do in a browser",
      description:
        "Applies at once to each call of the agent to its browser and to each connection that the browser makes; open connections to sites that are not listed any more are closed. `read` looks at pages; `act` also opens and uses them, without scripts; `full` also runs scripts; `none` allows nothing. `sites` are those that it may open: `*` is all public sites, and neither this machine nor a private network; `localhost:PORT` is one port of this machine. `ownServers` adds the ports of this machine that processes of the agent listen on, and no others: they are read again for each page that is opened and for each connection, and are never those of Gantry.",
      access: "session",
      params: {
        agentId: { prefix: "agt", missing: errors.BROWSER_AGENT_NOT_FOUND },
      },
      body: z.strictObject({
        tier: z.enum(TIERS),
        sites: z.array(siteInput).max(MAX_SITES).default([]),
        ownServers: z.boolean().default(false),
      }),
      returns: policy,
      errors: [
        "BROWSER_AGENT_NOT_FOUND",
        "BROWSER_AGENTS_MISSING",
        "STALE_REVISION",
      ],
      async handle({ params: { agentId }, body, ifMatch, signal }) {
        await checkAgent(messages(), agentId, signal);
        const sites = [...new Set(body.sites)];
        return await policies.put({ ...body, agentId, sites }, ifMatch);
      },
    }),
  ];
}
