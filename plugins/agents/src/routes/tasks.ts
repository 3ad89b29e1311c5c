import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import {
  taskKind,
  taskStatus,
  taskView,
  toTaskView,
} from "../records/task-record.ts";
import {
  agentParameter,
  imagesInput,
  MESSAGE_BODY,
  messageInput,
} from "./inputs.ts";

/** The durable queue of an agent. */
export function taskRoutes({
  book,
  composer,
  queue,
  records,
}: PluginParts): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/tasks",
      summary: "Messages on their way to an agent, and their outcome",
      access: "session",
      params: agentParameter,
      query: pageQuery.extend({ status: taskStatus.optional() }),
      returns: pageOf(taskView),
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params, query: { limit, cursor, status } }) {
        const { id } = await book.get(params.id);
        const filter = status
          ? (task: { status: string }) => task.status === status
          : undefined;
        const page = await records.tasks.list({
          index: "agent",
          prefix: [id],
          limit,
          cursor,
          filter,
        });
        return { ...page, items: page.items.map(toTaskView) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/tasks",
      summary: "Queue a message",
      description:
        "It waits while the agent is closed and is sent at the next start.",
      access: "session",
      idempotent: true,
      params: agentParameter,
      maxBody: MESSAGE_BODY,
      body: z.strictObject({
        kind: taskKind.default("prompt"),
        payload: z.strictObject({
          message: messageInput,
          images: imagesInput.default([]),
        }),
        source: z
          .string()
          .regex(
            /^[a-z][a-z0-9-]{0,39}$/,
            "must be kebab-case, at most 40 characters",
          )
          .default("tasks"),
      }),
      returns: taskView,
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_MESSAGE_EMPTY",
        "AGENT_IMAGE_INVALID",
        "AGENT_UNSUPPORTED",
      ],
      async handle({ params, body: { kind, source, payload } }) {
        return toTaskView(
          await composer.enqueue({
            agentId: params.id,
            kind,
            source,
            ...payload,
          }),
        );
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/agents/{id}/tasks/{taskId}",
      summary: "Cancel a message that waits",
      access: "session",
      params: {
        ...agentParameter,
        taskId: { prefix: "tsk", missing: errors.AGENT_TASK_NOT_FOUND },
      },
      body: z.strictObject({}),
      returns: taskView,
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_TASK_NOT_FOUND",
        "TASK_NOT_QUEUED",
        "STALE_REVISION",
      ],
      async handle({ params, ifMatch }) {
        const { id } = await book.get(params.id);
        return toTaskView(await queue.cancel(id, params.taskId, ifMatch));
      },
    }),
  ];
}
