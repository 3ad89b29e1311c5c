import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { PluginFiles } from "../ui/plugin-files.ts";
import type { PluginHost } from "./plugin-host.ts";

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
    ui: z.object({ entry: z.string(), css: z.string().nullable() }).nullable(),
  })
  .meta({ id: "Plugin" });

/** Tells which plugins there are, how they are, and where a browser finds their pages. */
export function createPluginRoutes(
  host: PluginHost,
  files: PluginFiles,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/plugins",
      summary: "Plugins and their state",
      access: "session",
      returns: z.object({ items: z.array(PluginView), nextCursor: z.null() }),
      async handle() {
        const items = host
          .list()
          .map(
            async ({
              id,
              summary,
              version,
              origin,
              state,
              reason,
              package: plugin,
            }) => {
              const ui =
                plugin && state === "active"
                  ? await files.addressOf(id, plugin)
                  : null;
              return { id, summary, version, origin, state, reason, ui };
            },
          );
        return { items: await Promise.all(items), nextCursor: null };
      },
    }),
  ];
}
