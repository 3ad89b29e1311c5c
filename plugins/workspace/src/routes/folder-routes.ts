import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import { ENTRY_KINDS, listFolder } from "../files/list-folder.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { AGENT_ERRORS, agentRoute, FILE_ERRORS, pathInput } from "./inputs.ts";

/** Operations that find files in the folder of an agent. */
export function folderRoutes({
  folders,
  fileIndex,
  reveal,
}: WorkspaceParts): RouteDefinition[] {
  return [
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/browse",
      summary: "One level of the agent's folder",
      description:
        "Folders first. A link is listed as a link and not followed. Of a very large folder, the first 10,000 entries: `truncated`.",
      query: z.strictObject({ dir: pathInput.default("") }),
      returns: z.object({
        dir: z.string(),
        items: z.array(
          z.object({
            name: z.string(),
            path: z.string(),
            kind: z.enum(ENTRY_KINDS),
          }),
        ),
        truncated: z.boolean(),
      }),
      errors: [...FILE_ERRORS, "FOLDER_EXPECTED"],
      handle: async ({ params, query }) =>
        listFolder(await folders.of(params.id), query.dir),
    }),
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/files",
      summary:
        "Search the files of the agent's folder by letters of their paths",
      description:
        "The twenty best of all files that git knows or would take up, or of all files where there is no repository. `truncated` if there are more files than can be looked at.",
      query: z.strictObject({ q: z.string().max(500).default("") }),
      returns: z.object({
        items: z.array(z.object({ path: z.string() })),
        truncated: z.boolean(),
      }),
      errors: AGENT_ERRORS,
      handle: async ({ params, query }) =>
        fileIndex.find(await folders.of(params.id), query.q),
    }),
    defineRoute({
      ...agentRoute,
      method: "POST",
      path: "/api/agents/{id}/reveal",
      summary:
        "Show the agent's folder in the file manager of the daemon's machine",
      description: "`path` names a folder or a file in it.",
      body: z.strictObject({ path: pathInput.default("") }),
      returns: okAnswer,
      errors: [
        ...FILE_ERRORS,
        "AGENT_TOOL_MISSING",
        "PROCESS_NOT_STARTED",
        "TOOL_FAILED",
      ],
      async handle({ params, body }) {
        await reveal(await folders.of(params.id), body.path);
        return { ok: true as const };
      },
    }),
  ];
}
