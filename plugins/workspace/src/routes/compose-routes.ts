import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import {
  composeCommand,
  composeInput,
  GIT_RISKS,
} from "../repository/compose.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { agentRoute } from "./inputs.ts";

/** An operation that writes a git command and does not run it. */
export function composeRoutes({
  directory,
  signal,
}: WorkspaceParts): RouteDefinition[] {
  return [
    defineRoute({
      ...agentRoute,
      method: "POST",
      path: "/api/agents/{id}/git/compose",
      summary: "Write a git command with its risk, and run nothing",
      body: composeInput,
      returns: z.object({
        command: z.string(),
        args: z.array(z.string()),
        risk: z.enum(GIT_RISKS),
      }),
      errors: ["AGENT_NOT_FOUND", "REVISION_INVALID", "COMPOSE_INCOMPLETE"],
      async handle({ params, body }) {
        await directory.get({ agentId: params.id }, signal);
        return composeCommand(body);
      },
    }),
  ];
}
