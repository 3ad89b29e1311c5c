import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { CHANGE_KINDS } from "../repository/status.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { agentRoute, PATH_ERRORS, pathInput } from "./inputs.ts";
import {
  count,
  orNone,
  patch,
  REPOSITORY_ERRORS,
} from "./repository-inputs.ts";

/** Operations that read what is changed in the folder of an agent since the last commit. */
export function changeRoutes({
  folders,
  repositories,
}: WorkspaceParts): RouteDefinition[] {
  return [
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/gitstatus",
      summary: "What is changed in the agent's folder since the last commit",
      returns: orNone({
        head: z.string().nullable(),
        branch: z.string().nullable(),
        upstream: z.string().nullable(),
        ahead: count,
        behind: count,
        items: z.array(
          z.object({
            path: z.string(),
            from: z.string().nullable(),
            kind: z.enum(CHANGE_KINDS),
            staged: z.boolean(),
          }),
        ),
        truncated: z.boolean(),
      }),
      errors: REPOSITORY_ERRORS,
      handle: async ({ params }) =>
        repositories.status(await folders.of(params.id)),
    }),
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/gitdiff",
      summary: "A file's patch since the last commit, or that of all files",
      description:
        "`from` is where the file was before it was renamed. Without `path`, all files that git knows.",
      query: z.strictObject({
        path: pathInput.optional(),
        from: pathInput.optional(),
      }),
      returns: orNone({ path: z.string().nullable(), ...patch }),
      errors: [...REPOSITORY_ERRORS, ...PATH_ERRORS, "FILE_TOO_LARGE"],
      handle: async ({ params, query }) =>
        repositories.diff(await folders.of(params.id), query.path, query.from),
    }),
  ];
}
