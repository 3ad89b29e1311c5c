import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { MAX_AUDIT_ENTRIES } from "../records/audit.ts";
import type { Audit } from "../records/audit.ts";
import { auditEntry, verdict } from "../records/schemas.ts";
import { agentIdInput, lineInput, recordQuery } from "./inputs.ts";

const MAX_METHOD_LENGTH = 200;
const MAX_REASON_LENGTH = 500;

/** Routes that list and record the calls of agents. */
export function createAuditRoutes(audit: Audit): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/developer/audit",
      summary: "Calls of agents to a browser, and what was decided",
      description: `Newest first, at most ${MAX_AUDIT_ENTRIES}. \`q\` finds those that have all of its words in method or reason.`,
      access: "session",
      query: recordQuery.extend({
        agentId: z.string().max(100).optional(),
        verdict: verdict.optional(),
      }),
      returns: pageOf(auditEntry),
      handle: ({ query }) => audit.list(query),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/developer/audit",
      summary: "Record a call of an agent to a browser",
      description:
        "For whatever drives a browser for an agent. The time is that of the request. A call that equals the newest one is counted there.",
      access: "session",
      idempotent: true,
      body: z.strictObject({
        agentId: agentIdInput,
        method: lineInput(MAX_METHOD_LENGTH),
        verdict,
        reason: lineInput(MAX_REASON_LENGTH).nullable().default(null),
      }),
      returns: auditEntry,
      handle: ({ body }) => audit.add(body),
    }),
  ];
}
