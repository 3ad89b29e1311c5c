import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { Tabs } from "../tabs/open-tabs.ts";
import type { Uploads } from "../view/uploads.ts";
import { tabId } from "./tab-routes.ts";

const MAX_FILE_BYTES = 50 * 1024 * 1024;

/** Route that takes a file for a page that asks for one. */
export function createUploadRoute(
  tabs: Pick<Tabs, "find">,
  uploads: Uploads,
): RouteDefinition {
  return defineRoute({
    method: "POST",
    path: "/api/browser/tabs/{id}/files",
    summary: "Copy a file for a page that asks for one",
    description:
      "At most 50 MiB. The view of the tab then gives it to the page by its id. The copy is removed when the browser ends, and the oldest when there are more than 50.",
    access: "session",
    params: { id: tabId },
    query: z.strictObject({ name: z.string().min(1).max(1_000) }),
    body: "bytes",
    bodyFormat: { mediaType: "application/octet-stream" },
    maxBody: MAX_FILE_BYTES,
    returns: z.object({ id: z.string(), name: z.string(), size: z.int() }),
    errors: ["BROWSER_DISK_FULL", "BROWSER_TAB_NOT_FOUND"],
    async handle({ params: { id }, query: { name }, body }) {
      const found = tabs.find(id);
      if (!found) throw errors.BROWSER_TAB_NOT_FOUND({ id });
      return await uploads.add(found.browser, name, body);
    },
  });
}
