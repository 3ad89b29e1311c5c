import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { templateView } from "../templates/template.ts";
import type { Templates } from "../templates/templates.ts";

/** Jobs to begin with. */
export function templateRoute(templates: Templates): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/automations/templates",
    summary: "Ready-made templates",
    description:
      "Jobs that an agent can do on a local repository, ours first and then those of plugins. All of them only report. `category` narrows. A schedule of a template has no time zone: add your own.",
    access: "session",
    query: z.strictObject({ category: z.string().max(40).optional() }),
    returns: z.object({
      items: z.array(templateView),
      /** All templates come at once. */
      nextCursor: z.null(),
    }),
    handle: ({ query }) => ({
      items: templates.list(query.category),
      nextCursor: null,
    }),
  });
}
