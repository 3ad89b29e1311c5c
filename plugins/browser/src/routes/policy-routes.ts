import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import { TIERS } from "../fence/policy.ts";
import { policy } from "../records/schemas.ts";
import type { Policies } from "../records/policies.ts";
import { normalizeSite } from "../tools/normalize-site.ts";

const MAX_SITES = 200;
const MAX_SITE_LENGTH = 260;

const siteInput = z
  .string()
  .max(MAX_SITE_LENGTH)
  .refine(
    (text) => normalizeSite(text) !== undefined,
    "must be a host name such as example.com, *.example.com, * for all public sites, or localhost:PORT",
  )
  .transform((text) => normalizeSite(text) ?? "");

/** Dependencies of {@link createPolicyRoutes}. */
export interface PolicyRouteHost {
  policies: Pick<Policies, "put">;
  /** @throws `BROWSER_AGENT_NOT_FOUND` (404), `BROWSER_AGENTS_MISSING` (503) */
  checkAgent(agentId: string): Promise<unknown>;
}

/** Routes that read and change the policy of an agent. */
export function createPolicyRoutes({
  policies,
  checkAgent,
}: PolicyRouteHost): RouteDefinition[] {
  return [
    defineRoute({
      method: "PUT",
      path: "/api/browser/policies/{agentId}",
      summary: "Say what an agent may do in the browser",
      description:
        "`read` reads tabs that are lent to it; `act` opens pages and uses them, without scripts; `full` also runs scripts; `none` takes the browser away. It applies from the next call on. `sites` are those that it may open: `*` never opens this machine or a private network, `localhost:PORT` opens one port. With `ownServers` it may open the ports that its own processes listen on.",
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
      async handle({ params: { agentId = "" }, body, ifMatch }) {
        await checkAgent(agentId);
        const sites = [...new Set(body.sites)];
        return await policies.put({ agentId, ...body, sites }, ifMatch);
      },
    }),
  ];
}
