import { defineRoute, paginate, positionKey } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import { cliView } from "../clis/cli.ts";
import { errors } from "../errors.ts";
import type { PluginParts } from "../plugin-parts.ts";

/** Routes for the agent CLIs of this machine. */
export function cliRoutes({ catalog }: PluginParts): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/agents/clis",
      summary: "Agent CLIs: which are installed, and what each can do",
      access: "session",
      query: pageQuery,
      returns: pageOf(cliView),
      errors: ["AGENT_BAD_CURSOR"],
      async handle({ query }) {
        const position = (_: unknown, index: number) => positionKey(index);
        return paginate(await catalog.list(), query, position, {
          order: "ascending",
          badCursor: errors.AGENT_BAD_CURSOR,
        });
      },
    }),
  ];
}
