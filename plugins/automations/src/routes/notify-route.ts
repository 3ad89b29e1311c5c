import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { toChatMessage } from "../notify/chat-message.ts";
import { clipText, toPlainText } from "../notify/plain-text.ts";
import type { Send } from "../notify/send.ts";
import type { CheckTarget } from "../notify/target.ts";
import { notifyUrl } from "../wire/automation.ts";

const MAX_ANSWER_LENGTH = 500;

const SAMPLE =
  "This is a test. What an agent says at the end of a run will stand here.";

/** Sends a sample to an address that is to be notified. */
export function notifyRoute(send: Send, check: CheckTarget): RouteDefinition {
  return defineRoute({
    method: "POST",
    path: "/api/automations/notify/test",
    summary: "Send a test to a notify URL",
    description:
      "One POST with a sample in the shape of a real notification, without a second try. Tells what the target answered, as plain text of at most 500 characters. Nothing is stored.",
    access: "session",
    body: z.strictObject({ url: notifyUrl }),
    returns: z.object({
      delivered: z.boolean(),
      /** `null` if there was no answer. */
      status: z.number().int().nullable(),
      answer: z.string(),
      /** Why it was not delivered. */
      error: z.string().nullable(),
    }),
    errors: ["NOTIFY_TARGET_REFUSED"],
    async handle({ body, signal }) {
      await check(body.url, "url");
      const message = toChatMessage({
        name: "Test of a notification",
        result: "done",
        reason: null,
        costUsd: 0,
        message: SAMPLE,
        link: undefined,
      });
      const { failure, status, answer } = await send(body.url, message, signal);
      return {
        delivered: failure === undefined,
        status,
        answer: clipText(toPlainText(answer), MAX_ANSWER_LENGTH),
        error: failure?.error ?? null,
      };
    },
  });
}
