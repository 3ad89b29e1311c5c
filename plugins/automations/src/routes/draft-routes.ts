import { defineRoute, paginate } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import { AUTOMATION_AGENT_ERRORS } from "@gantry/plugin-agents/contract";
import * as z from "zod";
import type { Drafts } from "../drafts/drafts.ts";
import { errors } from "../errors.ts";
import { describeInput, draftView } from "../wire/draft.ts";

const draftId = { prefix: "drf", missing: errors.DRAFT_NOT_FOUND };

/** Automations that an agent drafts from a description. */
export function draftRoutes(drafts: Drafts): RouteDefinition[] {
  return [
    defineRoute({
      method: "POST",
      path: "/api/automations/drafts",
      summary: "Have an automation drafted",
      description:
        "An agent of its own, which reads only where its CLI can be kept to that, turns a description into the fields of an automation, and is removed again. Answers at once; follow it with the operation to read it, or with `automations.draft-changed`. What comes of it is checked as a save is, and a draft that does not hold is sent back once. Nothing is saved, and a draft is never switched on. It counts in the spend limits.",
      access: "session",
      idempotent: true,
      body: describeInput,
      returns: draftView,
      errors: [
        "DRAFT_TOO_MANY",
        "DRAFT_SPEND_LIMIT",
        ...AUTOMATION_AGENT_ERRORS,
      ],
      handle: ({ body }) => drafts.start(body),
    }),
    defineRoute({
      method: "GET",
      path: "/api/automations/drafts",
      summary: "The drafts that are kept",
      description: "Newest first; at most fifty are kept.",
      access: "session",
      query: pageQuery,
      returns: pageOf(draftView),
      handle: ({ query }) =>
        paginate(drafts.list(), query, ({ createdAt, id }) => createdAt + id),
    }),
    defineRoute({
      method: "GET",
      path: "/api/automations/drafts/{draftId}",
      summary: "How a draft is getting on",
      description:
        "Kept for an hour after its end, and no longer than the daemon runs.",
      access: "session",
      params: { draftId },
      returns: draftView,
      errors: ["DRAFT_NOT_FOUND"],
      handle: ({ params }) => drafts.get(params.draftId),
    }),
    defineRoute({
      method: "POST",
      path: "/api/automations/drafts/{draftId}/stop",
      summary: "Stop drafting",
      description: "Answers when the agent is gone.",
      access: "session",
      params: { draftId },
      body: z.strictObject({}),
      returns: draftView,
      errors: ["DRAFT_NOT_FOUND"],
      handle: ({ params }) => drafts.stop(params.draftId),
    }),
  ];
}
