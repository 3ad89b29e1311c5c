import { defineRoute, paginate } from "@gantry/plugin";
import type { DaemonPlugin, DaemonView, RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { addressOf } from "./plugin-files.ts";

const PluginView = z
  .object({
    id: z.string(),
    summary: z.string(),
    version: z.string(),
    origin: z.enum(["builtin", "home"]),
    state: z.enum([
      "disabled",
      "waiting",
      "starting",
      "active",
      "stopping",
      "failed",
    ]),
    reason: z.string().nullable(),
    /** Errors that its code did not catch since the daemon started. */
    faults: z.number().int(),
    ui: z.object({ entry: z.string(), css: z.string().nullable() }).nullable(),
  })
  .meta({ id: "Plugin" });

/** Tells which plugins there are, how they are, and where a browser finds their pages. */
export function listPlugins(daemon: DaemonView): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/plugins",
    summary: "Plugins and their state",
    access: "session",
    description: "By id, those that are delivered with the daemon first.",
    query: pageQuery,
    returns: pageOf(PluginView),
    async handle({ query }) {
      const { items, nextCursor } = paginate(
        daemon.plugins(),
        query,
        ({ origin, id }) => origin + id,
        { order: "ascending" },
      );
      return { items: await Promise.all(items.map(toView)), nextCursor };
    },
  });
}

const toView = async (plugin: DaemonPlugin) => ({
  ...plugin,
  ui: plugin.state === "active" ? await addressOf(plugin) : null,
});
