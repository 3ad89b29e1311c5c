import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { PluginParts } from "../plugin-parts.ts";
import { agentView, toAgentView } from "../records/agent-record.ts";
import { WORKTREE_ERRORS } from "./agents.ts";
import { agentParameter } from "./inputs.ts";

/** The working trees that were made for agents. */
export function worktreeRoutes({
  agentWorktrees,
}: PluginParts): RouteDefinition[] {
  return [
    defineRoute({
      method: "DELETE",
      path: "/api/agents/{id}/worktree",
      summary: "Close an agent and remove the files of its worktree",
      description:
        "Its conversation stays, and the branch with all commits. Changes that are in no commit are lost only with `discard`; cleanup tells which there are. Harmless twice.",
      access: "session",
      params: agentParameter,
      body: z.strictObject({ discard: z.boolean().default(false) }),
      returns: agentView,
      errors: ["AGENT_NOT_FOUND", "WORKTREE_KEPT", ...WORKTREE_ERRORS],
      handle: async ({ params, body }) =>
        toAgentView(await agentWorktrees.remove(params.id, body.discard)),
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/worktree",
      summary: "Make the worktree of an agent again that was removed",
      description:
        "In the same folder, with the commit that its branch is at. Its setup command is run again. Harmless twice.",
      access: "session",
      params: agentParameter,
      body: z.strictObject({}),
      returns: agentView,
      errors: ["AGENT_NOT_FOUND", "WORKTREE_KEPT", ...WORKTREE_ERRORS],
      handle: async ({ params }) =>
        toAgentView(await agentWorktrees.makeAgain(params.id)),
    }),
  ];
}
