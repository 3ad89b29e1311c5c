import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import { MAX_PERMISSIONS } from "../records/permissions.ts";
import type { Permissions } from "../records/permissions.ts";
import { permissionDecision, sitePermission } from "../records/schemas.ts";
import { createDeletionRoute, deletedAnswer } from "./deletion-route.ts";
import { originInput, recordQuery } from "./inputs.ts";

const MIN_PRUNE_DAYS = 7;
const MAX_PRUNE_DAYS = 3650;

/** Routes that list, set and remove permissions of sites. */
export function createPermissionRoutes(
  permissions: Permissions,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/permissions",
      summary: "What sites may use",
      description: `Newest first, at most ${MAX_PERMISSIONS}. \`q\` finds those that have all of its words in origin or kind.`,
      access: "session",
      query: recordQuery,
      returns: pageOf(sitePermission),
      handle: ({ query }) => permissions.list(query),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/permissions",
      summary: "Decide what a site may use",
      description:
        "Replaces an earlier decision for the same origin and kind. To post it again when the site uses it keeps it from being pruned.",
      access: "session",
      idempotent: true,
      body: z.strictObject({
        origin: originInput,
        kind: z
          .string()
          .regex(
            /^[a-z][A-Za-z0-9-]{0,63}$/u,
            "must be the name of a permission, such as geolocation",
          ),
        decision: permissionDecision,
      }),
      returns: sitePermission,
      handle: ({ body }) => permissions.put(body),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/permissions/clear",
      summary: "Remove all permissions",
      access: "session",
      body: z.strictObject({}),
      returns: deletedAnswer,
      handle: async () => ({ deleted: await permissions.clear() }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/permissions/prune",
      summary: "Remove permissions that were not used for some days",
      access: "session",
      body: z.strictObject({
        days: z.int().min(MIN_PRUNE_DAYS).max(MAX_PRUNE_DAYS),
      }),
      returns: deletedAnswer,
      handle: async ({ body: { days } }) => ({
        deleted: await permissions.prune(days),
      }),
    }),
    createDeletionRoute({
      path: "/api/browser/permissions/{id}",
      summary: "Remove a permission",
      description: "The site has to ask again.",
      prefix: "prm",
      missing: errors.BROWSER_PERMISSION_NOT_FOUND,
      missingCode: "BROWSER_PERMISSION_NOT_FOUND",
      remove: permissions.remove,
    }),
  ];
}
