import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import { AUTOMATION_AGENT_ERRORS } from "@gantry/plugin-agents/contract";
import * as z from "zod";
import type { Automations } from "../automations/automations.ts";
import {
  automationView,
  createInput,
  patchInput,
  savedAnswer,
} from "../wire/automation.ts";
import { automationId } from "./identifier.ts";

/** The automations themselves. */
export function automationRoutes(automations: Automations): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/automations",
      summary: "All automations",
      description:
        "Newest first, each with its last run and the time of its next one. `q` finds those whose name contains it. No runs are read for it.",
      access: "session",
      query: pageQuery.extend({ q: z.string().max(100).optional() }),
      returns: pageOf(automationView),
      handle: ({ query }) => automations.list(query),
    }),
    defineRoute({
      method: "POST",
      path: "/api/automations",
      summary: "Create an automation",
      description:
        'Also makes the agent that it runs, under the same name; not with `mode: "message"`, which sends the prompt to `targetAgentId`, one of the user\'s own agents. With `webhook: true` the answer carries the secret, which is shown this once; not if the request has an `Idempotency-Key`, since its answer is kept: then ask for a new secret.',
      access: "session",
      idempotent: true,
      body: createInput,
      returns: savedAnswer,
      errors: [
        "AUTOMATION_LIMIT_REACHED",
        "NOTIFY_TARGET_REFUSED",
        "TARGET_AGENT_NEEDED",
        "TARGET_AGENT_UNKNOWN",
        ...AUTOMATION_AGENT_ERRORS,
      ],
      async handle({ body, header }) {
        const { webhookSecret, ...saved } = await automations.create(body);
        // The answer to a request with a key is stored, and no secret is.
        const isKept = header("idempotency-key") !== undefined;
        return isKept || webhookSecret === undefined
          ? saved
          : { ...saved, webhookSecret };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/automations/{id}",
      summary: "One automation",
      access: "session",
      params: { id: automationId },
      returns: automationView,
      errors: ["AUTOMATION_NOT_FOUND"],
      handle: ({ params }) => automations.get(params.id),
    }),
    defineRoute({
      method: "PATCH",
      path: "/api/automations/{id}",
      summary: "Change an automation",
      description:
        "`limits`, `permissions` and `schedules` are replaced whole. A schedule that comes with its `id` keeps its past; one whose times changed waits for its next slot.",
      access: "session",
      params: { id: automationId },
      body: patchInput,
      returns: savedAnswer,
      errors: [
        "AUTOMATION_NOT_FOUND",
        "SCHEDULE_UNKNOWN",
        "NOTIFY_TARGET_REFUSED",
        "TARGET_AGENT_NEEDED",
        "TARGET_AGENT_UNKNOWN",
        ...AUTOMATION_AGENT_ERRORS,
      ],
      handle: ({ params, body, ifMatch }) =>
        automations.change(params.id, body, ifMatch),
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/automations/{id}",
      summary: "Delete an automation and its runs",
      description:
        "A run that is going is ended. The agent stays, with its conversations.",
      access: "session",
      params: { id: automationId },
      body: z.strictObject({}),
      returns: okAnswer,
      errors: ["AUTOMATION_NOT_FOUND"],
      async handle({ params, ifMatch }) {
        await automations.remove(params.id, ifMatch);
        return { ok: true } as const;
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/automations/{id}/secret",
      summary: "Make a new webhook secret",
      description:
        "The old one is dead at once. The new one is shown this once.",
      access: "session",
      params: { id: automationId },
      body: z.strictObject({}),
      returns: z.object({ webhookSecret: z.string() }),
      errors: ["AUTOMATION_NOT_FOUND", "WEBHOOK_OFF"],
      handle: async ({ params }) => ({
        webhookSecret: await automations.renewSecret(params.id),
      }),
    }),
  ];
}
