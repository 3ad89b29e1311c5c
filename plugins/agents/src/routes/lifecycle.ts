import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { AGENT_START_ERRORS } from "../rejections.ts";
import { agentParameter } from "./inputs.ts";

const noBody = z.strictObject({});
/** Starting and stopping. */
export function lifecycleRoutes({
  book,
  fleet,
  screens,
}: PluginParts): RouteDefinition[] {
  return [
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/close",
      summary: "Close an agent",
      description:
        "Ends whatever runs, a run of an automation too. It keeps its conversation. Harmless twice.",
      access: "session",
      params: agentParameter,
      body: noBody,
      returns: okAnswer,
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params }) {
        const { id } = await book.get(params.id);
        await screens.close(id);
        await fleet.stop(id, "It was closed.");
        return { ok: true as const };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/managed/start",
      summary: "Start the CLI of an agent, driven by the daemon",
      access: "session",
      params: agentParameter,
      body: noBody,
      returns: z.object({ mode: z.literal("managed") }),
      errors: [...AGENT_START_ERRORS, "AGENT_RUNNING"],
      async handle({ params, signal }) {
        const agent = await book.get(params.id);
        if (fleet.isTaken(agent.id)) throw errors.AGENT_RUNNING();
        await screens.close(agent.id);
        await fleet.start(agent.id, signal);
        return { mode: "managed" as const };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/managed/stop",
      summary: "Stop the CLI of an agent",
      access: "session",
      params: agentParameter,
      body: noBody,
      returns: z.object({ mode: z.null() }),
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params }) {
        const { id } = await book.get(params.id);
        await fleet.stop(id, "It was stopped.");
        return { mode: null };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/abort",
      summary: "Stop the turn that is running",
      description: "What waits in the queue is sent afterwards.",
      access: "session",
      params: agentParameter,
      body: noBody,
      returns: z.object({ aborted: z.boolean() }),
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params }) {
        const { id } = await book.get(params.id);
        return { aborted: await fleet.abort(id) };
      },
    }),
  ];
}
