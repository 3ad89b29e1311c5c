import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { AgentChecklistChanged } from "../contract.ts";
import { checkCan } from "../conversation/conversation-branches.ts";
import { errors } from "../errors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { planItem, slashCommand } from "../records/notes-record.ts";
import { AGENT_MESSAGE_ERRORS } from "../rejections.ts";
import { agentParameter, messageInput } from "./inputs.ts";

const checklist = z.object({ items: z.array(planItem) });
const checklistInput = z.strictObject({
  items: z
    .array(
      z.strictObject({
        text: z.string().trim().min(1).max(300),
        status: planItem.shape.status.default("pending"),
      }),
    )
    .max(50),
});

/** What a CLI takes beside plain messages, and what it says of its work. */
export function commandRoutes(parts: PluginParts): RouteDefinition[] {
  const { book, catalog, composer, fleet, notes, slash, streams } = parts;
  return [
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/slash",
      summary: "What can be typed after a slash",
      description:
        "Of a CLI that was not started yet, nothing is known; what other plugins offer is there always.",
      access: "session",
      params: agentParameter,
      returns: z.object({ items: z.array(slashCommand) }),
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params, signal }) {
        const { id } = await book.get(params.id);
        return { items: await slash.list(id, signal) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/command",
      summary: "Run a slash command of the CLI",
      access: "session",
      idempotent: true,
      params: agentParameter,
      body: z.strictObject({
        text: messageInput.regex(/^\/[^\s/]/, 'must begin with "/" and a name'),
      }),
      returns: z.object({
        taskId: z.string(),
        delivery: z.enum(["sent", "queued"]),
      }),
      errors: [...AGENT_MESSAGE_ERRORS, "AGENT_COMMAND_UNKNOWN"],
      async handle({ params, body: { text }, signal }) {
        const { id, cli } = await book.get(params.id);
        checkCan(catalog, cli, "commands");
        const name = /^\/(\S+)/.exec(text)?.[1] ?? "";
        if (await slash.lacks(id, name))
          throw errors.AGENT_COMMAND_UNKNOWN({ id, cli, name });
        return await composer.prompt(
          { agentId: id, kind: "prompt", message: text, source: "command" },
          signal,
        );
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/checklist",
      summary: "The agent's plan",
      access: "session",
      params: agentParameter,
      returns: checklist,
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params }) {
        const { id } = await book.get(params.id);
        return { items: (await notes.of(id)).checklist };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/checklist",
      summary: "Set the agent's plan",
      description: "In place of what it was. A CLI that plans sets it as well.",
      access: "session",
      params: agentParameter,
      body: checklistInput,
      returns: checklist,
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params, body: { items } }) {
        const { id } = await book.get(params.id);
        await notes.change(id, () => ({ checklist: items }), [
          AgentChecklistChanged.of(id, { items: items.length }),
        ]);
        streams.publish(id, "checklist", { items });
        return { items };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/role-state",
      summary: "Which model answers, in which role",
      description:
        "`default` is the model that answers when nothing else is said. `null` while the agent is closed or the CLI does not tell.",
      access: "session",
      params: agentParameter,
      returns: z.object({
        state: z.object({ role: z.string(), model: z.string() }).nullable(),
      }),
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params }) {
        const { id } = await book.get(params.id);
        const model = fleet.get(id)?.model ?? null;
        return { state: model === null ? null : { role: "default", model } };
      },
    }),
  ];
}
