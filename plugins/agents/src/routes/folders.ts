import { stat } from "node:fs/promises";
import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { LONG_DEADLINE_MS } from "../folder/folder-guard.ts";
import { checkAgentFolder, checkFolder } from "../folder/usable-folder.ts";
import type { PluginParts } from "../plugin-parts.ts";
import {
  workspaceView,
  type WorkspaceRecord,
} from "../records/workspace-record.ts";
import { fileRoutes } from "./files.ts";
import { agentParameter, folderInput, nameInput } from "./inputs.ts";

const GIT_ERRORS = [
  "GIT_MISSING",
  "GIT_OBJECTS_OUTSIDE",
  "GIT_TIMEOUT",
  "PROCESS_NOT_STARTED",
];

/** The folders of agents. */
export function folderRoutes(parts: PluginParts): RouteDefinition[] {
  const { book, records, workspaces, trust, catalog, guard } = parts;
  const { transcripts, fleet, removal, shell, codeBlocks, agentWorktrees } =
    parts;
  return [
    ...fileRoutes(parts),
    placeRoute(parts),
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/cwd",
      summary: "The folder that an agent works in",
      access: "session",
      params: agentParameter,
      returns: z.object({
        cwd: z.string(),
        exists: z.boolean(),
        workspaceId: z.string().nullable(),
      }),
      errors: ["AGENT_NOT_FOUND", "FOLDER_SILENT"],
      async handle({ params }) {
        const { cwd, workspaceId } = await book.get(params.id);
        const exists = await guard.run(cwd, () =>
          stat(cwd).then(
            (stats) => stats.isDirectory(),
            () => false,
          ),
        );
        return { cwd, exists, workspaceId };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/trust",
      summary: "Let the CLI run what the folder brings along",
      description:
        "Holds for the configuration as it is now, in this folder, from this repository.",
      access: "session",
      params: agentParameter,
      body: z.strictObject({}),
      returns: z.object({ trusted: z.boolean(), already: z.boolean() }),
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_FOLDER_INVALID",
        "FOLDER_SILENT",
        "AGENT_CONFIG_TOO_LARGE",
      ],
      async handle({ params }) {
        const agent = await book.get(params.id);
        await checkAgentFolder(guard, agent);
        return await guard.run(
          agent.cwd,
          () => trust.trust(agent.cwd, catalog.trustPaths(agent.cli)),
          { deadlineMs: LONG_DEADLINE_MS },
        );
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/cleanup",
      summary: "What deleting an agent could remove as well",
      description:
        "Of a working tree that was made for it, the `changes` that are in no commit, with the first files, the first of the files that git ignores, and how many commits of its branch no other branch has; these stay.",
      access: "session",
      params: agentParameter,
      returns: z.object({
        transcriptBytes: z.number(),
        workFolder: z.string().nullable(),
        processes: z.number(),
        worktree: z
          .object({
            branch: z.string(),
            changed: z.array(z.string()),
            changes: z.number(),
            ignored: z.array(z.string()),
            commits: z.number(),
          })
          .nullable(),
      }),
      errors: ["AGENT_NOT_FOUND", ...GIT_ERRORS],
      async handle({ params }) {
        const agent = await book.get(params.id);
        return {
          worktree: await agentWorktrees.describe(agent),
          transcriptBytes: await transcripts.of(agent.id).bytes(),
          workFolder: await removal.workFolderOf(agent),
          processes:
            (fleet.get(agent.id) || agent.mode === "terminal" ? 1 : 0) +
            shell.count(agent.id) +
            codeBlocks.count(agent.id),
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/workspaces",
      summary: "Folders to make agents in",
      access: "session",
      query: pageQuery,
      returns: pageOf(workspaceView),
      async handle({ query }) {
        const page = await records.workspaces.list(query);
        return { ...page, items: page.items.map(toView) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/workspaces",
      summary: "Add a folder",
      description: "A folder that is known already is answered as it is.",
      access: "session",
      idempotent: true,
      body: z.strictObject({ path: folderInput, name: nameInput.optional() }),
      returns: workspaceView,
      errors: ["AGENT_FOLDER_INVALID", "FOLDER_SILENT"],
      handle: async ({ body }) =>
        toView(await workspaces.add(body.path, body.name)),
    }),
  ];
}

function toView(record: WorkspaceRecord) {
  return workspaceView.parse(record);
}

const placeRoute = ({ guard, places }: PluginParts) =>
  defineRoute({
    method: "GET",
    path: "/api/workspaces/place",
    summary: "What a new agent would find in a folder",
    description:
      "The repository that the folder is in, the open agents that work in the same working tree, and what was run last in a new one.",
    access: "session",
    query: z.strictObject({ path: folderInput }),
    returns: z.object({
      repository: z
        .object({
          root: z.string(),
          branch: z.string().nullable(),
          hasCommits: z.boolean(),
        })
        .nullable(),
      agents: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          activity: z.enum(["idle", "working", "waiting"]),
          state: z.enum(["open", "closed"]),
        }),
      ),
      setup: z.string().nullable(),
    }),
    errors: ["AGENT_FOLDER_INVALID", "FOLDER_SILENT", ...GIT_ERRORS],
    async handle({ query }) {
      const path = await checkFolder(guard, query.path, "path");
      return await guard.run(path, () => places.read(path), {
        deadlineMs: LONG_DEADLINE_MS,
      });
    },
  });
