import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import { queryNumber } from "@gantry/plugin/zod";
import * as z from "zod";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { agentRoute } from "./inputs.ts";
import { orNone, REPOSITORY_ERRORS } from "./repository-inputs.ts";

const row = z.object({
  hash: z.string(),
  parents: z.array(z.string()),
  author: z.string(),
  at: z.string(),
  subject: z.string(),
  lane: z.number(),
  into: z.array(z.number()),
  through: z.array(z.number()),
  out: z.array(z.number()),
});

const worktree = z.object({
  path: z.string(),
  head: z.string().nullable(),
  branch: z.string().nullable(),
  current: z.boolean(),
  agents: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      state: z.enum(["open", "closed"]),
    }),
  ),
});

/** Operations that read the history of the repository that an agent works in. */
export function historyRoutes({
  folders,
  repositories,
}: WorkspaceParts): RouteDefinition[] {
  return [
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/git",
      summary: "The history of the agent's repository as a graph",
      description:
        "A page of commits, newest first, each with its place among the lanes: `lane` is where it is, `into` are lanes from above that end in it, `through` lanes that pass by, `out` lanes to its parents. The first page also has branches, tags and working trees.",
      query: z.strictObject({
        limit: queryNumber(z.int().min(1).max(500).default(100)),
        cursor: z.string().max(6100).optional(),
      }),
      returns: orNone({
        head: z
          .object({
            hash: z.string().nullable(),
            branch: z.string().nullable(),
          })
          .nullable(),
        refs: z.array(
          z.object({
            name: z.string(),
            kind: z.enum(["branch", "remote", "tag"]),
            hash: z.string(),
          }),
        ),
        worktrees: z.array(worktree),
        items: z.array(row),
        nextCursor: z.string().nullable(),
        truncated: z.boolean(),
      }),
      errors: [...REPOSITORY_ERRORS, "GIT_CURSOR_INVALID"],
      handle: async ({ params, query }) =>
        repositories.history(
          await folders.of(params.id),
          query.cursor,
          query.limit,
        ),
    }),
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/git/head",
      summary: "A mark that changes when the agent's repository does",
      description:
        "`key` changes with the commit and the branch, `token` with anything that the status tells. `dirty` is `null` where git takes too long to tell; a repository that takes long is looked at more seldom.",
      returns: orNone({
        key: z.string(),
        token: z.string(),
        dirty: z.boolean().nullable(),
      }),
      errors: REPOSITORY_ERRORS,
      handle: async ({ params }) =>
        repositories.mark(await folders.of(params.id)),
    }),
  ];
}
