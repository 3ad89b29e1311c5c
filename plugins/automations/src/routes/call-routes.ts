import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import type { Automations } from "../automations/automations.ts";
import { errors } from "../errors.ts";
import type { Attempts } from "../runs/attempts.ts";
import type { CallBook } from "../webhook/call-book.ts";
import { callView } from "../wire/call.ts";
import { runView } from "../wire/run.ts";
import { automationId } from "./identifier.ts";

/** Dependencies of the routes of calls. */
export interface CallRoutesHost {
  automations: Automations;
  attempts: Attempts;
  calls: CallBook;
}

const callId = { prefix: "cal", missing: errors.CALL_NOT_FOUND };

/** The ledger of a webhook, and what sends a call again. */
export function callRoutes(host: CallRoutesHost): RouteDefinition[] {
  const { automations, attempts, calls } = host;
  return [
    defineRoute({
      method: "GET",
      path: "/api/automations/{id}/calls",
      summary: "The calls of an automation's webhook",
      description:
        "Newest first: when, from where, how large, its outcome, and its run. Refused calls from one address are one entry with a count. Never the secret, and not the payload.",
      access: "session",
      params: { id: automationId },
      query: pageQuery,
      returns: pageOf(callView),
      errors: ["AUTOMATION_NOT_FOUND"],
      async handle({ params, query }) {
        const { id } = await automations.get(params.id);
        return calls.list(id, query);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/automations/{id}/calls/{callId}/redeliver",
      summary: "Send a call of a webhook again",
      description:
        "Fires the automation with what came with the call, as long as that is kept. Answers at once with the run; one that was skipped is an answer too.",
      access: "session",
      idempotent: true,
      params: { id: automationId, callId },
      body: z.strictObject({}),
      returns: z.object({ run: runView }),
      errors: [
        "AUTOMATION_NOT_FOUND",
        "AUTOMATION_OFF",
        "CALL_NOT_FOUND",
        "CALL_PAYLOAD_GONE",
      ],
      async handle({ params }) {
        const { id } = await automations.get(params.id);
        const call = await calls.get(id, params.callId);
        if (!call) throw errors.CALL_NOT_FOUND({ id: params.callId });
        const payload = await calls.payloadOf(call);
        if (!payload) throw errors.CALL_PAYLOAD_GONE({ id: call.id });
        const run = await attempts.attempt({
          automationId: id,
          trigger: "webhook",
          payload,
          beforeSkip: () => {},
          toLedger: ({ id: runId, result, reason }) =>
            calls.toAdd({
              automationId: id,
              verdict: result === "running" ? "accepted" : "skipped",
              code: reason,
              address: null,
              bytes: payload.length,
              runId,
              payload,
              redeliveryOf: call.id,
            }),
        });
        if (!run) throw new Error("Only a schedule may have nothing to run.");
        return { run };
      },
    }),
  ];
}
