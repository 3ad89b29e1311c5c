import { defineRoute, eventStream, type RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { AGENT_MESSAGE_ERRORS, AGENT_START_ERRORS } from "../rejections.ts";
import { taskKind } from "../records/task-record.ts";
import { entrySchema } from "../transcript/entry.ts";
import {
  agentParameter,
  imagesInput,
  MESSAGE_BODY,
  messageInput,
  toCursor,
} from "./inputs.ts";

/** What is said to agents, and what they say. */
export function messageRoutes({
  book,
  composer,
  continuation,
  fleet,
  transcripts,
  streams,
}: PluginParts): RouteDefinition[] {
  return [
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/prompt",
      summary: "Send a message",
      description:
        "Starts a closed agent. During a turn, a prompt waits for its end; `steer` goes into the turn, where the CLI can.",
      access: "session",
      idempotent: true,
      params: agentParameter,
      maxBody: MESSAGE_BODY,
      body: z.strictObject({
        message: messageInput,
        kind: taskKind.default("prompt"),
        images: imagesInput.default([]),
      }),
      returns: z.object({
        taskId: z.string(),
        delivery: z.enum(["sent", "queued"]),
      }),
      errors: AGENT_MESSAGE_ERRORS,
      handle: ({ params, body, signal }) =>
        composer.prompt(
          { agentId: params.id, source: "composer", ...body },
          signal,
        ),
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/ask",
      summary: "Send a message and wait for the answer",
      access: "session",
      idempotent: true,
      params: agentParameter,
      body: z.strictObject({
        text: messageInput,
        timeoutMs: z.number().int().min(1).max(600_000).default(600_000),
      }),
      returns: z.object({
        answer: z.string(),
        costUsd: z.number().nullable(),
        stopReason: z.enum(["end", "cancelled", "refused"]),
      }),
      errors: [
        ...AGENT_MESSAGE_ERRORS,
        "AGENT_STILL_WORKING",
        "AGENT_TURN_FAILED",
        "AGENT_DISK_FULL",
      ],
      handle: ({ params, body, signal }) =>
        composer.ask(params.id, body.text, body.timeoutMs, signal),
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/continue",
      summary: "Continue a turn that a stop or a crash of the daemon cut off",
      description:
        "In the same session, before all messages that wait; starts a closed agent. `turnId` is that of the agent's `cutOff`. Twice is as once: the answer is the same task.",
      access: "session",
      idempotent: true,
      params: agentParameter,
      body: z.strictObject({ turnId: z.string().max(100) }),
      returns: z.object({ taskId: z.string() }),
      errors: [...AGENT_START_ERRORS, "TURN_NOT_CUT_OFF"],
      handle: ({ params, body }) =>
        continuation.continueTurn(params.id, body.turnId),
    }),
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/messages",
      summary: "The conversation, newest first",
      description: "A page ends early where its entries are long.",
      access: "session",
      params: agentParameter,
      query: pageQuery,
      returns: pageOf(entrySchema),
      errors: ["AGENT_NOT_FOUND", "AGENT_BAD_CURSOR"],
      async handle({ params, query }) {
        const { id } = await book.get(params.id);
        const before =
          query.cursor === undefined ? undefined : toCursor(query.cursor);
        const page = await transcripts.of(id).page(query.limit, before);
        if (!page) throw errors.AGENT_BAD_CURSOR();
        return {
          items: page.items,
          nextCursor: page.next === null ? null : String(page.next),
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/stream",
      summary: "What happens in an agent, as it happens",
      description:
        "Server-sent events: `snapshot`, `state`, `turn-started`, `delta`, `tool`, `tool-output`, `entry`, `usage`, `dialog-opened`, " +
        "`dialog-closed`, `turn-ended`, `task`, `checklist`, `branched` (read the messages again). Resumes by `Last-Event-ID` or `after`; after a gap that cannot be " +
        "filled it begins with `reset`: read the messages again. Without either it begins with a `snapshot`.",
      access: "session",
      params: agentParameter,
      query: z.strictObject({ after: z.string().max(100).optional() }),
      returns: "event-stream",
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params, query, header }) {
        const { id } = await book.get(params.id);
        const after = header("last-event-id") ?? query.after;
        const snapshot = () =>
          fleet.get(id)?.snapshot() ?? { turn: null, dialogs: [] };
        return eventStream((client) => {
          const stop = streams.of(id).watch(
            (message) => client.send(message),
            after,
            snapshot,
            () => client.close(),
          );
          client.signal.addEventListener(
            "abort",
            () => {
              stop();
              if (!fleet.get(id)) streams.release(id);
            },
            { once: true },
          );
        });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/ui",
      summary: "Answer an open question of an agent",
      description:
        "Give one of `optionId`, `value` (where the question takes a text) and `cancelled`.",
      access: "session",
      params: agentParameter,
      body: z.strictObject({
        dialogId: z.string().max(100),
        optionId: z.string().max(1000).optional(),
        value: messageInput.optional(),
        cancelled: z.boolean().optional(),
      }),
      returns: okAnswer,
      errors: ["AGENT_NOT_FOUND", "DIALOG_CLOSED", "DIALOG_ANSWER_INVALID"],
      async handle({ params, body: { dialogId, ...given } }) {
        const { id } = await book.get(params.id);
        const live = fleet.get(id);
        if (!live) throw errors.DIALOG_CLOSED({ dialogId });
        await live.dialogs.answer(dialogId, given);
        return { ok: true as const };
      },
    }),
  ];
}
