import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { createEventRoutes } from "./event-routes.ts";
import { listPlugins } from "./list-plugins.ts";
import { addPages } from "./pages.ts";
import { addPluginFiles } from "./plugin-files.ts";
import { createOpenApiRoute } from "./reference/openapi-route.ts";
import { addReferencePage } from "./reference/reference-page.ts";
import { addUtilitiesSheet } from "./utilities-sheet.ts";

/**
 * Makes the plugin that serves the web UI.
 *
 * @param findShell Gives the `dist` folder of the built shell, `undefined` to serve no pages.
 */
export function createShellPlugin(
  findShell: () => string | undefined,
): PluginDefinition {
  return definePlugin({
    id: "shell",
    api: 1,
    summary: "Serves the web UI",
    // Every address: a system plugin may take any.
    mounts: [""],
    setup(ctx) {
      const shell = findShell();
      if (shell !== undefined) addPages(ctx, shell);
      addUtilitiesSheet(ctx, shell);
      addPluginFiles(ctx);
      addReferencePage(ctx);
      ctx.route(createOpenApiRoute(ctx));
      ctx.route(listPlugins(ctx.daemon));
      for (const route of createEventRoutes(ctx)) ctx.route(route);
    },
  });
}

export default createShellPlugin(() => {
  // From here as from the bundle.
  const url = new URL("../../../ui/shell/dist", import.meta.url);
  const folder = fileURLToPath(url);
  return existsSync(folder) ? folder : undefined;
});
