import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import { MAX_VISITS } from "../records/history.ts";
import type { History } from "../records/history.ts";
import { visit } from "../records/schemas.ts";
import { createDeletionRoute, deletedAnswer } from "./deletion-route.ts";
import { agentIdInput, recordQuery, titleInput, urlInput } from "./inputs.ts";

const MAX_DELETED_AT_ONCE = 500;

/** Routes that list, record and remove visits. */
export function createHistoryRoutes(history: History): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/history",
      summary: "The pages that were visited",
      description: `Newest first, at most ${MAX_VISITS}. \`q\` finds those that have all of its words in title or address.`,
      access: "session",
      query: recordQuery,
      returns: pageOf(visit),
      handle: ({ query }) => history.list(query),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/history",
      summary: "Record a visit",
      description:
        "The time is that of the request. A visit to the page of the newest visit, by the same agent or by the user again, is merged with it. A user name and a password in `url` are dropped.",
      access: "session",
      idempotent: true,
      body: z.strictObject({
        url: urlInput,
        title: titleInput,
        agentId: agentIdInput.nullable().default(null),
      }),
      returns: visit,
      handle: ({ body }) => history.add(body),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/history/clear",
      summary: "Remove all visits, or those since a time",
      access: "session",
      body: z.strictObject({
        since: z.iso.datetime({ offset: true }).optional(),
      }),
      returns: deletedAnswer,
      handle: async ({ body: { since } }) => ({
        deleted: await history.clear(since),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/history/delete",
      summary: "Remove some visits",
      description: "Ids that are not in the history are ignored.",
      access: "session",
      body: z.strictObject({
        ids: z.array(z.string().max(100)).max(MAX_DELETED_AT_ONCE),
      }),
      returns: deletedAnswer,
      handle: async ({ body: { ids } }) => ({
        deleted: await history.removeAll(ids),
      }),
    }),
    createDeletionRoute({
      path: "/api/browser/history/{id}",
      summary: "Remove a visit",
      prefix: "vis",
      missing: errors.BROWSER_VISIT_NOT_FOUND,
      missingCode: "BROWSER_VISIT_NOT_FOUND",
      remove: history.remove,
    }),
  ];
}
