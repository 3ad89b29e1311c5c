import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import { MAX_DOWNLOADS } from "../records/downloads.ts";
import type { Downloads } from "../records/downloads.ts";
import { download, downloadState } from "../records/schemas.ts";
import { agentIdInput, byteCount, recordQuery, urlInput } from "./inputs.ts";

const downloadId = {
  id: { prefix: "dwn", missing: errors.BROWSER_DOWNLOAD_NOT_FOUND },
};

/** Routes that list, record and remove downloads. */
export function createDownloadRoutes(downloads: Downloads): RouteDefinition[] {
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
        "For another browser or an extension; the work browser records its own.",
      access: "session",
      idempotent: true,
      body: z.strictObject({
        url: urlInput,
        fileName: z.string().min(1).max(1000),
        totalBytes: byteCount.nullable().default(null),
        agentId: agentIdInput,
      }),
      returns: download,
      handle: ({ body }) => downloads.begin({ ...body, isOwn: false }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/downloads/status",
      summary: "Record how far a download is",
      description: "Fields that are left out stay as they are.",
      access: "session",
      body: z.strictObject({
        id: z.string().max(100),
        state: downloadState.optional(),
        receivedBytes: byteCount.optional(),
        totalBytes: byteCount.nullable().optional(),
        problem: z.string().max(2000).nullable().optional(),
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
      description: "The files stay where they are.",
      access: "session",
      body: z.strictObject({}),
      returns: z.object({ deleted: z.int() }),
      handle: async () => ({ deleted: await downloads.clear() }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/browser/downloads/{id}",
      summary: "Remove a download from the list",
      description:
        "Its file stays where it is; one that is still running is cancelled.",
      access: "session",
      params: downloadId,
      body: z.strictObject({}),
      returns: okAnswer,
      errors: ["BROWSER_DOWNLOAD_NOT_FOUND", "STALE_REVISION"],
      async handle({ params: { id = "" }, ifMatch }) {
        if (!(await downloads.remove(id, ifMatch)))
          throw errors.BROWSER_DOWNLOAD_NOT_FOUND({ id });
        return { ok: true as const };
      },
    }),
  ];
}
