import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { pullRequestView } from "../repository/pull-request.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { agentRoute } from "./inputs.ts";
import { count, REPOSITORY_ERRORS } from "./repository-inputs.ts";

/** Operations that read where the branch of an agent stands. */
export function branchRoutes({
  directory,
  folders,
  repositories,
  signal,
}: WorkspaceParts): RouteDefinition[] {
  return [
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/pr",
      summary: "The pull request of the branch that the agent is on",
      description:
        "Through the user's own `gh`, as it was at most a minute ago. `blocked` if it is not known, with the reason.",
      returns: z.object({
        status: z.enum(["ok", "none", "blocked"]),
        pr: pullRequestView.optional(),
        reason: z.string().optional(),
      }),
      errors: [
        ...REPOSITORY_ERRORS,
        "AGENT_TOOL_MISSING",
        "PROCESS_NOT_STARTED",
        "TOOL_FAILED",
        "TOOL_TIMEOUT",
      ],
      async handle({ params }) {
        const { root } = await folders.of(params.id);
        return await repositories.pullRequests.of(root);
      },
    }),
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/delivery",
      summary: "What became of messages to the agent, and of its branch",
      description:
        "`ways` tells how delivered messages came to the CLI, and `way` how the next one would: over its protocol and to a receiver in its screen they are confirmed, what is pasted into its terminal is not. `ahead` and `behind` are counted from the default branch; `dirty` is the number of changed files. `git` is `null` without a repository.",
      returns: z.object({
        tasks: z.object({
          queued: z.number(),
          delivering: z.number(),
          delivered: z.number(),
          failed: z.number(),
          cancelled: z.number(),
        }),
        ways: z.object({
          protocol: z.number(),
          receiver: z.number(),
          paste: z.number(),
        }),
        way: z.enum(["protocol", "receiver", "paste"]),
        git: z
          .object({
            branch: z.string().nullable(),
            base: z.string().nullable(),
            ahead: count,
            behind: count,
            dirty: z.number(),
          })
          .nullable(),
      }),
      errors: REPOSITORY_ERRORS,
      async handle({ params: { id: agentId } }) {
        const [counts, state] = await Promise.all([
          directory.countDeliveries({ agentId }, signal),
          folders.of(agentId).then((folder) => repositories.branch(folder)),
        ]);
        if (!state) return { ...counts, git: null };
        const { branch, base, ahead, behind, dirty } = state;
        return { ...counts, git: { branch, base, ahead, behind, dirty } };
      },
    }),
  ];
}
