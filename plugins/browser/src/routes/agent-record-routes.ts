import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { MAX_AUDIT_ENTRIES } from "../records/audit.ts";
import type { BrowserRecords } from "../records/browser-records.ts";
import { auditEntry, policy } from "../records/schemas.ts";
import { recordQuery } from "./inputs.ts";

/** Routes that list the policies and the recorded calls of agents. */
export function createAgentRecordRoutes({
  audit,
  policies,
}: Pick<BrowserRecords, "audit" | "policies">): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/policies",
      summary: "What each agent may do in the browser",
      description: "An agent that is not in the list may do nothing.",
      access: "session",
      query: recordQuery,
      returns: pageOf(policy),
      handle: ({ query }) => policies.list(query),
    }),
    defineRoute({
      method: "GET",
      path: "/api/browser/developer/audit",
      summary: "Protocol calls of agents and what the guard decided",
      description: `Newest first, at most ${MAX_AUDIT_ENTRIES}. Equal calls in a row are one entry with a \`count\`. \`q\` finds those that have all of its words in method or reason.`,
      access: "session",
      query: recordQuery.extend({
        agentId: z.string().max(100).optional(),
        verdict: z.enum(["allowed", "refused"]).optional(),
      }),
      returns: pageOf(auditEntry),
      handle: ({ query }) => audit.list(query),
    }),
  ];
}
