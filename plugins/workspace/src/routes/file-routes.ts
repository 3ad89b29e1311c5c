import { isWellFormed } from "@gantry/agent-folder";
import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { readBytes } from "../files/file-bytes.ts";
import { readPicture } from "../files/picture.ts";
import { readText } from "../files/text-files.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { agentRoute, FILE_ERRORS, pathInput } from "./inputs.ts";

const MAX_WRITE_BODY_BYTES = 8 * 1024 * 1024;

/** Operations that read or write one file in the folder of an agent. */
export function fileRoutes({
  folders,
  texts,
}: WorkspaceParts): RouteDefinition[] {
  return [
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/file",
      summary: "A picture of the agent's folder as base64",
      description: "At most 4 MB of PNG, JPEG, GIF, WebP, AVIF or BMP.",
      query: z.strictObject({ path: pathInput }),
      returns: z.object({
        path: z.string(),
        mimeType: z.string(),
        data: z.string(),
        bytes: z.number(),
        mtime: z.number(),
      }),
      errors: [
        ...FILE_ERRORS,
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
        "FILE_NOT_PICTURE",
      ],
      handle: async ({ params, query }) =>
        readPicture(await folders.of(params.id), query.path),
    }),
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/text",
      summary: "The text of a file of the agent's folder",
      description:
        "At most 1 MiB of UTF-8. `mtime` goes back with what is written.",
      query: z.strictObject({ path: pathInput }),
      returns: z.object({
        path: z.string(),
        text: z.string(),
        bytes: z.number(),
        mtime: z.number(),
      }),
      errors: [
        ...FILE_ERRORS,
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
        "FILE_NOT_TEXT",
      ],
      handle: async ({ params, query }) =>
        readText(await folders.of(params.id), query.path),
    }),
    defineRoute({
      ...agentRoute,
      method: "PUT",
      path: "/api/agents/{id}/text",
      summary: "Write the text of a file of the agent's folder",
      description:
        "All of it or nothing. `mtime` is what was read; `null` makes a new file. What git keeps for itself is not written.",
      maxBody: MAX_WRITE_BODY_BYTES,
      body: z.strictObject({
        path: pathInput,
        text: z.string().refine(isWellFormed, {
          error: "must be well-formed Unicode",
        }),
        mtime: z.number().nullable(),
      }),
      returns: z.object({
        path: z.string(),
        bytes: z.number(),
        mtime: z.number(),
      }),
      errors: [
        ...FILE_ERRORS,
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
        "FILE_CHANGED",
        "FILE_READ_ONLY",
        "FILE_DISK_FULL",
      ],
      handle: async ({ params, body }) =>
        texts.write(await folders.of(params.id), body),
    }),
    defineRoute({
      ...agentRoute,
      method: "GET",
      path: "/api/agents/{id}/blob",
      summary: "The bytes of a file of the agent's folder",
      description:
        "Of any size; a `Range` of one part is answered with 206. A browser opens it in a sandbox or not at all.",
      query: z.strictObject({ path: pathInput }),
      returns: "bytes",
      errors: [...FILE_ERRORS, "FILE_NOT_REGULAR", "FILE_RANGE_INVALID"],
      handle: async (request) =>
        readBytes(await folders.of(request.params.id), request.query.path, {
          range: request.header("range"),
          ifRange: request.header("if-range"),
        }),
    }),
  ];
}
