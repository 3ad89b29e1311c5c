import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { AGENT_MESSAGE_ERRORS } from "@gantry/plugin-agents/contract";
import * as z from "zod";
import { errors } from "../errors.ts";
import {
  MAX_ANNOTATIONS_SENT,
  MAX_NOTE_LENGTH,
} from "../tools/send-annotations.ts";
import type { SendAnnotations } from "../tools/send-annotations.ts";

const agentId = z
  .string()
  .regex(/^agt_[a-z2-7]{24}$/u, "must be the id of an agent");
const note = z.string().max(MAX_NOTE_LENGTH).default("");

const sent = z.object({
  taskId: z.string(),
  delivery: z.enum(["sent", "queued"]),
});

const SENDING_ERRORS = [
  "BROWSER_ANNOTATION_NOT_FOUND",
  "BROWSER_AGENT_NOT_FOUND",
  "BROWSER_AGENTS_MISSING",
  ...AGENT_MESSAGE_ERRORS,
];

/** Routes that send annotations to agents. */
export function createAnnotationSendingRoutes(
  send: SendAnnotations,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "POST",
      path: "/api/browser/annotations/send",
      summary: "Send several annotations to an agent as one message",
      access: "session",
      idempotent: true,
      body: z.strictObject({
        ids: z.array(z.string().max(100)).min(1).max(MAX_ANNOTATIONS_SENT),
        agentId,
        note,
      }),
      returns: sent,
      errors: SENDING_ERRORS,
      handle: ({ body }) => send(body),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/annotations/{id}/send",
      summary: "Send an annotation to an agent",
      description:
        "The message has the comment, and beside it what the page says of the element, marked as content of the page. The picture is attached.",
      access: "session",
      idempotent: true,
      params: {
        id: { prefix: "ann", missing: errors.BROWSER_ANNOTATION_NOT_FOUND },
      },
      body: z.strictObject({ agentId, note }),
      returns: sent,
      errors: SENDING_ERRORS,
      handle: ({ params: { id = "" }, body }) => send({ ids: [id], ...body }),
    }),
  ];
}
