import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { PluginParts } from "../plugin-parts.ts";
import { agentParameter } from "./inputs.ts";

const MAX_BODY_BYTES = 12 * 1024 * 1024;

/** Name of an attachment: not a path, and nothing that a program could interpret as an option. */
const dropName = z
  .string()
  .min(1)
  .max(120)
  .refine((name) => /^[^-./\\\p{C}][^/\\\p{C}]*$/u.test(name), {
    error: 'must be a plain name that does not begin with "-" or "."',
  });

/** Route that writes an attachment to the folder of an agent. */
export const dropRoute = ({ dropBoxes }: PluginParts): RouteDefinition =>
  defineRoute({
    method: "POST",
    path: "/api/agents/{id}/drop",
    summary: "Put an attachment into the agent's folder",
    description:
      "Writes to `.gantry/drop/`, which git ignores. The file is removed after seven days. `data` is base64 of at most 8 MB.",
    access: "session",
    params: agentParameter,
    maxBody: MAX_BODY_BYTES,
    body: z.strictObject({ name: dropName, data: z.string() }),
    returns: z.object({ path: z.string() }),
    errors: [
      "AGENT_NOT_FOUND",
      "AGENT_FOLDER_GONE",
      "PATH_OUTSIDE",
      "PATH_INVALID",
      "PATH_NOT_FOUND",
      "PATH_PROTECTED",
      "FILE_UNREADABLE",
      "DROP_INVALID",
      "FILE_READ_ONLY",
      "FILE_DISK_FULL",
    ],
    handle: async ({ params, body }) => ({
      path: await dropBoxes.add(params["id"] ?? "", body),
    }),
  });
