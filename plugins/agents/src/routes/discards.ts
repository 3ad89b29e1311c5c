import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { PluginParts } from "../plugin-parts.ts";
import { STAGE_DEADLINE_MS } from "../shipping/staging.ts";
import { FOLDER_ERRORS } from "./repository.ts";
import {
  common,
  hunk,
  MAX_BODY,
  paths,
  STAGE_ERRORS,
  useFolder,
} from "./shipping.ts";
import { WRITE_FILE_ERRORS } from "./turn-changes.ts";

const MAX_DISCARDED = 500;

/** Taking what an agent changed back to the last commit. */
export function discardRoutes(parts: PluginParts): RouteDefinition[] {
  const { shipping } = parts;
  const inFolder = useFolder(parts);
  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/git/discards",
      summary: "What was discarded since the last commit",
      description:
        "The newest first, without those that were undone. `paths` are some of the files.",
      returns: z.object({
        items: z.array(
          z.object({
            undoId: z.string(),
            at: z.string(),
            paths: z.array(z.string()),
            isHunk: z.boolean(),
          }),
        ),
      }),
      errors: FOLDER_ERRORS,
      handle: ({ params }) =>
        inFolder(params.id, (folder) =>
          shipping.listDiscards(folder, params.id),
        ),
    }),
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/agents/{id}/git/discard",
      summary: "Take changes back to the last commit",
      description:
        "Whole files by their `paths`, or one `hunk`, as in git/stage: in the folder and in the index. New files are deleted, deleted ones return. What was there is kept first: a restore of `undoId` (turn-changes) puts it back, also in the index. `undoId` is `null` if there was nothing to do.",
      maxBody: MAX_BODY,
      body: z.union([
        z.strictObject({ paths: paths.max(MAX_DISCARDED) }),
        z.strictObject({ hunk }),
      ]),
      returns: z.object({ undoId: z.string().nullable() }),
      errors: [
        ...STAGE_ERRORS,
        ...WRITE_FILE_ERRORS,
        "GIT_DISCARD_IMPOSSIBLE",
        "GIT_HUNK_CHANGED",
      ],
      handle: ({ params, body }) =>
        inFolder(
          params.id,
          (folder) => shipping.discard(folder, params.id, body),
          STAGE_DEADLINE_MS,
        ),
    }),
  ];
}
