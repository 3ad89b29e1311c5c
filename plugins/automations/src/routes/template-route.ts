import { defineRoute, paginate, positionKey } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
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
    query: pageQuery.extend({ category: z.string().max(40).optional() }),
    returns: pageOf(templateView),
    handle: ({ query: { category, ...query } }) =>
      paginate(
        templates.list(category),
        query,
        (_, index) => positionKey(index),
        { order: "ascending" },
      ),
  });
}
