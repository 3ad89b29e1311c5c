import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { LONG_DEADLINE_MS } from "../folder/folder-guard.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { pathInput, PATH_ERRORS } from "./files.ts";
import { agentParameter } from "./inputs.ts";

const MAX_PATHS = 2000;
const RESTORE_BODY = 1024 * 1024;

const item = {
  turnId: z.string(),
  at: z.string(),
  files: z.number(),
  additions: z.number(),
  deletions: z.number(),
  undone: z.boolean(),
  sharedWith: z.array(z.string()),
  undoId: z.string().nullable(),
};
const count = z.number().nullable();

const GIT_ERRORS = [
  "GIT_FAILED",
  "GIT_MISSING",
  "GIT_OBJECT_MISSING",
  "GIT_TIMEOUT",
  "PROCESS_NOT_STARTED",
];
/** Why files cannot be written so that it can be undone. */
export const WRITE_FILE_ERRORS = [
  ...PATH_ERRORS.slice(3),
  "AGENT_BUSY",
  "CHECKPOINT_IMPOSSIBLE",
  "FILE_CHANGED",
  "FILE_DISK_FULL",
  "FILE_NOT_REGULAR",
  "FILE_READ_ONLY",
  "FILE_TOO_LARGE",
];
const TURN_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_FOLDER_GONE",
  "FOLDER_SILENT",
  "TURN_CHANGES_NOT_FOUND",
  ...GIT_ERRORS,
];

const turnParameters = {
  ...agentParameter,
  turnId: { prefix: "trn", missing: errors.TURN_CHANGES_NOT_FOUND },
} as const;

const common = { access: "session", params: agentParameter } as const;

/** What turns changed in the folder of an agent, and putting it back. */
export function turnChangeRoutes(parts: PluginParts): RouteDefinition[] {
  return [...readingRoutes(parts), restoreRoute(parts)];
}

const useFolder =
  ({ folders }: PluginParts) =>
  <Result>(id: string, work: (folder: AgentFolder) => Promise<Result>) =>
    folders.use(id, work, { deadlineMs: LONG_DEADLINE_MS });

function readingRoutes(parts: PluginParts): RouteDefinition[] {
  const { turnChanges } = parts;
  const inFolder = useFolder(parts);
  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/turn-changes",
      summary: "The turns that changed files in the agent's folder",
      description:
        "The last 50 that changed any, newest first. `at` is the end of the turn; `undone` that all its files were put back; `sharedWith` names agents that worked in the same working tree meanwhile, whose changes may be among those told. `undoId` stands for the newest restore of it. Files that git ignores are not looked at. `notice` says why nothing is kept where that is so.",
      returns: z.union([
        z.object({
          git: z.literal(true),
          items: z.array(z.object(item)),
          notice: z.string().nullable(),
        }),
        z.object({ git: z.literal(false) }),
      ]),
      errors: ["AGENT_NOT_FOUND", "AGENT_FOLDER_GONE", "FOLDER_SILENT"],
      handle: ({ params }) =>
        inFolder(params.id, (folder) => turnChanges.list(params.id, folder)),
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/turn-changes/{turnId}",
      summary: "What one turn changed, with the patch",
      description:
        "Also of a restore, by its `undoId`. Paths are relative to the agent's folder. `notices` say which files are not kept.",
      params: turnParameters,
      returns: z.object({
        ...item,
        list: z.array(
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
        patch: z.string(),
        truncated: z.boolean(),
        notices: z.array(z.string()),
      }),
      errors: TURN_ERRORS,
      handle: ({ params }) =>
        inFolder(params.id, (folder) =>
          turnChanges.read(params.id, folder, params.turnId),
        ),
    }),
  ];
}

function restoreRoute(parts: PluginParts): RouteDefinition {
  const { turnChanges } = parts;
  const inFolder = useFolder(parts);
  return defineRoute({
    ...common,
    method: "POST",
    path: "/api/agents/{id}/turn-changes/{turnId}/restore",
    summary: "Put files back to how they were before a turn",
    description:
      "All that the turn changed, or `paths` of them. `preview` writes nothing and tells what would be done. A file is `changedSince` if it is not as the turn left it; such files are not written without `overwrite`, and nothing else is then. `undoId` stands for the restore where a turn is named, so that it can be restored itself.",
    params: turnParameters,
    maxBody: RESTORE_BODY,
    body: z.strictObject({
      paths: z.array(pathInput).min(1).max(MAX_PATHS).optional(),
      preview: z.boolean().default(false),
      overwrite: z.boolean().default(false),
    }),
    returns: z.object({
      files: z.array(
        z.object({
          path: z.string(),
          action: z.enum(["restored", "removed", "unchanged"]),
          changedSince: z.boolean(),
        }),
      ),
      undoId: z.string().nullable(),
    }),
    errors: [
      ...TURN_ERRORS,
      ...WRITE_FILE_ERRORS,
      "FILES_CHANGED_SINCE",
      "GIT_BUSY",
      "GIT_WRITE_FAILED",
      "TURN_FILE_UNKNOWN",
    ],
    handle: ({ params, body }) =>
      inFolder(params.id, (folder) =>
        turnChanges.restore(params.id, folder, params.turnId, body),
      ),
  });
}
