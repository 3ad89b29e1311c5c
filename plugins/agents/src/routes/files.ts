import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import { readBytes } from "../folder/file-bytes.ts";
import { LONG_DEADLINE_MS } from "../folder/folder-guard.ts";
import { ENTRY_KINDS, listFolder } from "../folder/list-folder.ts";
import { readPicture } from "../folder/picture.ts";
import { readText } from "../folder/text-files.ts";
import { isWellFormed } from "../folder/well-formed.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { agentParameter } from "./inputs.ts";

/** A path below the folder, as it is sent; whether it may be is found out where it leads. */
export const pathInput = z.string().max(8192);

/** Codes that every operation on a path may answer. */
export const PATH_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_FOLDER_GONE",
  "FOLDER_SILENT",
  "PATH_OUTSIDE",
  "PATH_INVALID",
  "PATH_NOT_FOUND",
  "PATH_PROTECTED",
  "FILE_UNREADABLE",
  "FILE_DISK_FAULT",
];

const WRITE_BODY = 8 * 1024 * 1024;
const DROP_BODY = 12 * 1024 * 1024;

/** Name of an attachment: a name and no path, and nothing that could be taken for an option. */
const dropName = z
  .string()
  .min(1)
  .max(120)
  .refine((name) => /^[^-./\\\p{C}][^/\\\p{C}]*$/u.test(name), {
    error: 'must be a plain name that does not begin with "-" or "."',
  });

const common = { access: "session", params: agentParameter } as const;

/** Reading and writing in the folder of an agent. */
export function fileRoutes({
  folders,
  dropBoxes,
  fileIndex,
  texts,
  reveal,
}: PluginParts): RouteDefinition[] {
  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/browse",
      summary: "One level of the agent's folder",
      description:
        "Folders first. A link is told as one and not followed. Of a very large folder, the first 10,000 entries: `truncated`.",
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
      errors: [...PATH_ERRORS, "FOLDER_EXPECTED"],
      handle: ({ params, query }) =>
        folders.use(params.id, (folder) => listFolder(folder, query.dir), {
          inside: query.dir,
        }),
    }),
    defineRoute({
      ...common,
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
      errors: ["AGENT_NOT_FOUND", "AGENT_FOLDER_GONE", "FOLDER_SILENT"],
      handle: ({ params, query }) =>
        folders.use(params.id, (folder) => fileIndex.find(folder, query.q), {
          deadlineMs: LONG_DEADLINE_MS,
        }),
    }),
    defineRoute({
      ...common,
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
        ...PATH_ERRORS,
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
        "FILE_NOT_PICTURE",
      ],
      handle: ({ params, query }) =>
        folders.use(params.id, (folder) => readPicture(folder, query.path), {
          inside: query.path,
        }),
    }),
    defineRoute({
      ...common,
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
        ...PATH_ERRORS,
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
        "FILE_NOT_TEXT",
      ],
      handle: ({ params, query }) =>
        folders.use(params.id, (folder) => readText(folder, query.path), {
          inside: query.path,
        }),
    }),
    defineRoute({
      ...common,
      method: "PUT",
      path: "/api/agents/{id}/text",
      summary: "Write the text of a file of the agent's folder",
      description:
        "All of it or nothing. `mtime` is what was read; `null` makes a new file. What git keeps for itself is not written. `notices` say that a file with further names (hard links) was taken apart from them.",
      maxBody: WRITE_BODY,
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
        notices: z.array(z.string()),
      }),
      errors: [
        ...PATH_ERRORS,
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
        "FILE_CHANGED",
        "FILE_READ_ONLY",
        "FILE_DISK_FULL",
      ],
      handle: ({ params, body }) =>
        folders.use(params.id, (folder) => texts.write(folder, body), {
          inside: body.path,
        }),
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/blob",
      summary: "The bytes of a file of the agent's folder",
      description:
        "Of any size; a `Range` of one part is answered with 206. A browser opens it in a sandbox or not at all.",
      query: z.strictObject({ path: pathInput }),
      returns: "bytes",
      errors: [...PATH_ERRORS, "FILE_NOT_REGULAR", "FILE_RANGE_INVALID"],
      handle: (request) =>
        folders.use(
          request.params.id,
          (folder) =>
            readBytes(folder, request.query.path, {
              range: request.header("range"),
              ifRange: request.header("if-range"),
            }),
          { inside: request.query.path },
        ),
    }),
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/agents/{id}/reveal",
      summary:
        "Show the agent's folder in the file manager of the daemon's machine",
      description: "`path` names a folder or a file in it.",
      body: z.strictObject({ path: pathInput.default("") }),
      returns: okAnswer,
      errors: [
        ...PATH_ERRORS,
        "AGENT_TOOL_MISSING",
        "PROCESS_NOT_STARTED",
        "TOOL_FAILED",
      ],
      async handle({ params, body }) {
        await folders.use(params.id, (folder) => reveal(folder, body.path), {
          inside: body.path,
        });
        return { ok: true as const };
      },
    }),
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/agents/{id}/drop",
      summary: "Put an attachment into the agent's folder",
      description:
        "In `.gantry/drop/`, which git does not see; it is removed after seven days. `data` is base64 of at most 8 MB.",
      maxBody: DROP_BODY,
      body: z.strictObject({ name: dropName, data: z.string() }),
      returns: z.object({ path: z.string() }),
      errors: [
        ...PATH_ERRORS,
        "DROP_INVALID",
        "FILE_READ_ONLY",
        "FILE_DISK_FULL",
      ],
      handle: async ({ params, body }) => ({
        path: await dropBoxes.add(params.id, body),
      }),
    }),
  ];
}
