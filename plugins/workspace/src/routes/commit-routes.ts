import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { agentRoute, pathInput } from "./inputs.ts";
import {
  count,
  orNone,
  patch,
  revision,
  REVISION_ERRORS,
} from "./repository-inputs.ts";

/** Operations that read one commit of the repository that an agent works in. */
export function commitRoutes({
  folders,
  repositories,
}: WorkspaceParts): RouteDefinition[] {
  return [
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/git/commit",
      summary: "One commit with its patch",
      description:
        "A merge is compared with its first parent. Paths are relative to the agent's folder; changes outside of it are left out.",
      query: z.strictObject({ hash: revision }),
      returns: orNone({
        hash: z.string(),
        parents: z.array(z.string()),
        author: z.string(),
        email: z.string(),
        at: z.string(),
        committer: z.string(),
        committedAt: z.string(),
        message: z.string(),
        files: z.array(
          z.object({
            path: z.string(),
            from: z.string().nullable(),
            kind: z.enum([
              "modified",
              "added",
              "deleted",
              "renamed",
              "type-changed",
            ]),
            additions: count,
            deletions: count,
          }),
        ),
        ...patch,
      }),
      errors: REVISION_ERRORS,
      handle: async ({ params, query }) =>
        repositories.commit(await folders.of(params.id), query.hash),
    }),
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/git/blob",
      summary: "The text of a file as a commit has it",
      query: z.strictObject({ hash: revision, path: pathInput }),
      returns: orNone({
        hash: z.string(),
        path: z.string(),
        text: z.string(),
        bytes: z.number(),
      }),
      errors: [
        ...REVISION_ERRORS,
        "PATH_OUTSIDE",
        "PATH_INVALID",
        "PATH_NOT_FOUND",
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
        "FILE_NOT_TEXT",
      ],
      handle: async ({ params, query }) =>
        repositories.fileAt(
          await folders.of(params.id),
          query.hash,
          query.path,
        ),
    }),
  ];
}
