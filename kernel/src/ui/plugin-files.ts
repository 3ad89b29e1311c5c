import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { App } from "../http/app.ts";
import { errors } from "../errors.ts";
import type { PluginPackage } from "../plugins/manifest.ts";
import { shortDigestOf } from "../plugins/plugin-digest.ts";
import { readSharedStyle, stylePathOf } from "./plugin-styles.ts";
import { serveFrom } from "./static-folder.ts";

/** Where a browser finds a plugin's UI. */
export interface PluginUi {
  entry: string;
  /** `null` if it has none, or it is in the sheet of all. */
  css: string | null;
}

/** Serves the UI files of the plugins that are there. */
export interface PluginFiles {
  /** Addresses of a plugin's UI, with a hash that changes when the files do; `null` if it has none. */
  addressOf(id: string, plugin: PluginPackage): Promise<PluginUi | null>;
}

/**
 * Adds the address `/plugins/<id>/…` for files of plugins. Only the folder of the UI's entry is served, and only to
 * paired clients only: no other client may learn which plugins there are.
 */
export function addPluginFiles(
  app: App,
  packageOf: (id: string) => PluginPackage | undefined,
): PluginFiles {
  app.addContent({
    pattern: "/plugins/:id/ui/**",
    access: "session",
    async handle(event) {
      const plugin = packageOf(event.context.params?.id ?? "");
      const path = event.url.pathname.replace(/^\/plugins\/[^/]+\/ui/, "");
      const immutable =
        event.url.searchParams.has("v") || path.startsWith("/chunks/");
      const file =
        plugin?.ui &&
        (await serveFrom(dirname(plugin.ui), path, event, { immutable }));
      if (!file) throw errors.ROUTE_NOT_FOUND();
      return file;
    },
  });

  return {
    async addressOf(id, plugin) {
      if (plugin.ui === undefined) return null;
      const style = stylePathOf(plugin.ui);
      const hasOwnStyle =
        (await readSharedStyle(plugin)) === undefined &&
        (await stat(style).then(
          (stats) => stats.isFile(),
          () => false,
        ));
      const address = async (file: string) =>
        `/plugins/${id}/ui/${basename(file)}?v=${await shortDigestOf(file)}`;
      return {
        entry: await address(plugin.ui),
        css: hasOwnStyle ? await address(style) : null,
      };
    },
  };
}
