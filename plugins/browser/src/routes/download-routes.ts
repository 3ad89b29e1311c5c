import { bytes, defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import type { DownloadFiles } from "../downloads/download-files.ts";
import { errors } from "../errors.ts";
import { MAX_DOWNLOADS } from "../records/downloads.ts";
import type { Downloads } from "../records/downloads.ts";
import { download, downloadState } from "../records/schemas.ts";
import { createDeletionRoute, deletedAnswer } from "./deletion-route.ts";
import {
  agentIdInput,
  byteCount,
  lineInput,
  recordQuery,
  urlInput,
} from "./inputs.ts";

const MAX_NAME_LENGTH = 255;
const MAX_PROBLEM_LENGTH = 500;

const fileNameInput = lineInput(MAX_NAME_LENGTH).refine(
  (name) => !/[/\\]/u.test(name) && name !== "." && name !== "..",
  "must be the name of a file, without a path",
);

/** Routes that list, record and remove downloads. */
export function createDownloadRoutes(
  downloads: Downloads,
  files: Pick<DownloadFiles, "read">,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/downloads",
      summary: "The files that were downloaded",
      description: `Newest first, at most ${MAX_DOWNLOADS}. \`q\` finds those that have all of its words in name or address.`,
      access: "session",
      query: recordQuery,
      returns: pageOf(download),
      handle: ({ query }) => downloads.list(query),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/downloads",
      summary: "Record a download that begins",
      description:
        "Report its progress and its end with `POST /api/browser/downloads/status`. `fileName` has no path. A user name and a password in `url` are dropped.",
      access: "session",
      idempotent: true,
      body: z.strictObject({
        url: urlInput,
        fileName: fileNameInput,
        totalBytes: byteCount.nullable().default(null),
        agentId: agentIdInput.nullable().default(null),
      }),
      returns: download,
      handle: ({ body }) => downloads.add({ ...body, isKept: false }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/downloads/status",
      summary: "Record the progress or the end of a download",
      description:
        "Fields that are left out stay as they are. Each report is an event, so one a second is enough. `problem` is kept for one that failed.",
      access: "session",
      body: z.strictObject({
        id: z.string().max(100),
        state: downloadState.optional(),
        receivedBytes: byteCount.optional(),
        totalBytes: byteCount.nullable().optional(),
        problem: lineInput(MAX_PROBLEM_LENGTH).nullable().optional(),
      }),
      returns: download,
      errors: ["BROWSER_DOWNLOAD_NOT_FOUND"],
      async handle({ body: { id, ...update } }) {
        const updated = await downloads.update(id, update);
        if (!updated) throw errors.BROWSER_DOWNLOAD_NOT_FOUND({ id });
        return updated;
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/downloads/clear",
      summary: "Remove the downloads that have ended from the list",
      description:
        "Files that Gantry keeps are removed with them; those of other browsers stay where they are.",
      access: "session",
      body: z.strictObject({}),
      returns: deletedAnswer,
      handle: async () => ({ deleted: await downloads.clear() }),
    }),
    createFileRoute(downloads, files),
    createDeletionRoute({
      path: "/api/browser/downloads/{id}",
      summary: "Remove a download from the list",
      description:
        "One of Gantry's own browser is cancelled if it is running, and its file is removed. That of another browser continues, and its file stays where it is.",
      prefix: "dwn",
      missing: errors.BROWSER_DOWNLOAD_NOT_FOUND,
      missingCode: "BROWSER_DOWNLOAD_NOT_FOUND",
      remove: downloads.remove,
    }),
  ];
}

/** Never rendered: it comes from a site, and Gantry's own origin would be its own. */
function createFileRoute(
  downloads: Downloads,
  files: Pick<DownloadFiles, "read">,
): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/browser/downloads/{id}/file",
    summary: "The file of a download that is complete",
    description:
      "As an attachment. Files of downloads that another browser has reported are not here.",
    access: "session",
    params: {
      id: { prefix: "dwn", missing: errors.BROWSER_FILE_NOT_FOUND },
    },
    returns: "bytes",
    errors: ["BROWSER_FILE_NOT_FOUND"],
    async handle({ params: { id } }) {
      const kept = await downloads.findKept(id);
      const file = kept && (await files.read(id));
      if (!file) throw errors.BROWSER_FILE_NOT_FOUND({ id });
      return bytes("application/octet-stream", file, {
        "content-disposition": `attachment; filename*=UTF-8''${toHeaderValue(kept.fileName)}`,
        "cache-control": "private, no-store",
      });
    },
  });
}

/** A name as RFC 8187 writes it. */
function toHeaderValue(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
