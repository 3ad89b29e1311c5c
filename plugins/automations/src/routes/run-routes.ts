import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import type { Automations } from "../automations/automations.ts";
import type { Records } from "../records/records.ts";
import type { Attempts } from "../runs/attempts.ts";
import { MAX_PAYLOAD_BYTES } from "../webhook/call-help.ts";
import type { HookDoor } from "../webhook/door.ts";
import { runView } from "../wire/run.ts";
import { automationId } from "./identifier.ts";

/** Dependencies of the routes of runs. */
export interface RunRoutesHost {
  automations: Automations;
  attempts: Attempts;
  records: Records;
  door: HookDoor;
}

const runAnswer = z.object({ run: runView });

/** Runs: those that there were, and what sets one off. */
export function runRoutes(host: RunRoutesHost): RouteDefinition[] {
  const { automations, attempts, records, door } = host;
  return [
    defineRoute({
      method: "GET",
      path: "/api/automations/{id}/runs",
      summary: "The runs of an automation",
      description:
        "Newest first, each with its why-record: every gate in order, its verdict and its figures.",
      access: "session",
      params: { id: automationId },
      query: pageQuery,
      returns: pageOf(runView),
      errors: ["AUTOMATION_NOT_FOUND"],
      async handle({ params, query }) {
        const { id } = await automations.get(params.id);
        return records.runs.list({
          ...query,
          index: "automation",
          prefix: [id],
        });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/automations/{id}/run",
      summary: "Run an automation now",
      description:
        "Also while it is switched off. Answers at once with the run; one that was skipped is an answer too.",
      access: "session",
      idempotent: true,
      params: { id: automationId },
      body: z.strictObject({}),
      returns: runAnswer,
      errors: ["AUTOMATION_NOT_FOUND"],
      handle: ({ params }) =>
        toAnswer(
          attempts.attempt({ automationId: params.id, trigger: "manual" }),
        ),
    }),
    defineRoute({
      method: "POST",
      path: "/api/automations/{id}/stop",
      summary: "Stop the run of an automation",
      description:
        "Ends the run that is going or waits for a free place: its process tree, or the prompt that it gave to an open agent, and never anything else that the agent is at. The run then fails as `cancelled`.",
      access: "session",
      params: { id: automationId },
      body: z.strictObject({}),
      returns: z.object({ stopped: z.boolean() }),
      errors: ["AUTOMATION_NOT_FOUND"],
      async handle({ params }) {
        const { id } = await automations.get(params.id);
        return { stopped: attempts.stop(id) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/automations/{id}/fire",
      summary: "Set an automation off from another tool",
      description:
        "The webhook. It needs no session but `Authorization: Bearer <secret>`. The body, in any format and up to 65,536 bytes, is added to the prompt as untrusted data. Answers at once with the run; one that was skipped is an answer too.",
      access: "self",
      isWebhook: true,
      authorize: (head) => door.authorize(head),
      settled: (head, error) => door.settled(head, error),
      idempotent: true,
      idempotencyHeaders: ["x-github-delivery"],
      params: { id: automationId },
      body: "bytes",
      maxBody: MAX_PAYLOAD_BYTES,
      returns: runAnswer,
      errors: [
        "AUTOMATION_OFF",
        "WEBHOOK_HEADER_REPEATED",
        "WEBHOOK_SECRET_IN_QUERY",
        "WEBHOOK_TOO_MANY_CALLS",
        "WEBHOOK_TOO_MANY_TRIES",
        "WEBHOOK_UNAUTHORIZED",
      ],
      handle: async (request) => ({ run: await door.fire(request) }),
    }),
  ];
}

async function toAnswer(attempt: ReturnType<Attempts["attempt"]>) {
  const run = await attempt;
  if (!run) throw new Error("Only a schedule may have nothing to run.");
  return { run };
}
