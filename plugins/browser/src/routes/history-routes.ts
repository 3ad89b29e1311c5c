import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import { MAX_VISITS } from "../records/history.ts";
import type { History } from "../records/history.ts";
import { visit } from "../records/schemas.ts";
import { agentIdInput, pageText, recordQuery, urlInput } from "./inputs.ts";

const MAX_DELETED_AT_ONCE = 500;
const deletedAnswer = z.object({ deleted: z.int() });

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
        "For another browser or an extension; the work browser records its own. A visit to the page of the newest visit is joined with it.",
      access: "session",
      idempotent: true,
      body: z.strictObject({
        url: urlInput,
        title: pageText(10_000),
        typed: z.boolean().default(false),
        agentId: agentIdInput,
      }),
      returns: visit,
      async handle({ body }) {
        const recorded = await history.visit(body);
        // The schema has already rejected all other addresses.
        if (!recorded) throw new Error("The address was not kept.");
        return recorded;
      },
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
      description: "Ids that are not in the history are passed over.",
      access: "session",
      body: z.strictObject({
        ids: z.array(z.string().max(100)).max(MAX_DELETED_AT_ONCE),
      }),
      returns: deletedAnswer,
      handle: async ({ body: { ids } }) => ({
        deleted: await history.removeAll(ids),
      }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/browser/history/{id}",
      summary: "Remove a visit",
      access: "session",
      params: {
        id: { prefix: "vis", missing: errors.BROWSER_VISIT_NOT_FOUND },
      },
      body: z.strictObject({}),
      returns: okAnswer,
      errors: ["BROWSER_VISIT_NOT_FOUND", "STALE_REVISION"],
      async handle({ params: { id = "" }, ifMatch }) {
        if (!(await history.remove(id, ifMatch)))
          throw errors.BROWSER_VISIT_NOT_FOUND({ id });
        return { ok: true as const };
      },
    }),
  ];
}
