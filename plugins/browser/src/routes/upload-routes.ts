import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { MAX_UPLOAD_BYTES } from "../view/uploads.ts";
import type { Uploads } from "../view/uploads.ts";

/** Route that receives files for pages that request them. */
export function createUploadRoutes(uploads: Uploads): RouteDefinition[] {
  return [
    defineRoute({
      method: "POST",
      path: "/api/browser/uploads",
      summary: "Hand in a file for a page that asks for one",
      description:
        "It waits for an hour. The view of the tab then names it by its id, and it is removed once the page has it.",
      access: "session",
      query: z.strictObject({ name: z.string().min(1).max(1_000) }),
      body: "bytes",
      bodyFormat: { mediaType: "application/octet-stream" },
      maxBody: MAX_UPLOAD_BYTES,
      returns: z.object({
        id: z.string(),
        name: z.string(),
        size: z.number().int(),
      }),
      handle: ({ query, body }) => uploads.add(query.name, body),
    }),
  ];
}
