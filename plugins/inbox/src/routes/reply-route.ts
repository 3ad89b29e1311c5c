import { defineRoute } from "@gantry/plugin";
import {
  AGENT_DIALOG_ERRORS,
  AGENT_MESSAGE_ERRORS,
} from "@gantry/plugin-agents/contract";
import * as z from "zod";
import { inboxItem } from "../contract.ts";
import { toInboxItem } from "../items/item-record.ts";
import type { ReplyInput, ReplyOutcome } from "../replies.ts";
import { itemId } from "./item-routes.ts";

const replyBody = z.strictObject({
  message: z.string().trim().min(1).max(100_000).optional(),
  optionId: z.string().min(1).max(200).optional(),
  cancelled: z.boolean().optional(),
});

/** Answers what an item asks, or continues the turn that it is about. */
export function createReplyRoute(
  reply: (id: string, input: ReplyInput) => Promise<ReplyOutcome>,
) {
  return defineRoute({
    method: "POST",
    path: "/api/inbox/{id}/reply",
    summary: "Answer the question of an item, or send its agent a message",
    description:
      'To a question or approval give one of `optionId`, `message` (where it takes text) and `cancelled: true`. Where `cutOff.open` is true, `optionId: "continue"` continues the turn that was cut off; twice is as once. To anything else of an agent give `message`: it goes to the agent as a follow-up, in the session that the item is about.',
    access: "session",
    idempotent: true,
    params: itemId,
    body: replyBody,
    returns: z.object({
      item: inboxItem,
      delivery: z.enum(["answered", "sent", "queued"]),
      taskId: z.string().nullable(),
    }),
    errors: [
      "INBOX_ITEM_NOT_FOUND",
      "INBOX_REPLY_INVALID",
      "INBOX_NO_RECIPIENT",
      "INBOX_RECIPIENT_GONE",
      "INBOX_SESSION_GONE",
      "INBOX_DIALOG_CLOSED",
      "INBOX_AGENTS_MISSING",
      "INBOX_TURN_RESUMED",
      ...AGENT_MESSAGE_ERRORS,
      ...AGENT_DIALOG_ERRORS,
    ],
    async handle({ params: { id }, body }) {
      const { item, ...outcome } = await reply(id, body);
      return { ...outcome, item: toInboxItem(item) };
    },
  });
}
