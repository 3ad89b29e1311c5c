import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { DaemonPlugin, PluginContext } from "@gantry/plugin";
import { readSharedStyle, stylePathOf } from "./plugin-styles.ts";
import { serveFrom } from "./static-folder.ts";

/** Where a browser finds a plugin's UI. */
export interface PluginUi {
  entry: string;
  /** `null` if it has none, or it is in the sheet of all. */
  css: string | null;
}

/**
 * Adds the address `/plugins/<id>/…` for files of plugins. Only the folder of the UI's entry is served, and to paired
 * clients only: no other client may learn which plugins there are.
 */
export function addPluginFiles(ctx: PluginContext): void {
  ctx.handler({
    path: "/plugins/{id}/ui/**",
    summary: "Files of the pages of a plugin",
    access: "session",
    methods: ["GET"],
    async handle(event) {
      const id = event.context.params?.id;
      const ui = ctx.daemon.plugins().find((plugin) => plugin.id === id)?.ui;
      if (!ui) return undefined;
      const path = event.url.pathname.replace(/^\/plugins\/[^/]+\/ui/, "");
      const immutable =
        event.url.searchParams.has("v") || path.startsWith("/chunks/");
      return serveFrom(dirname(ui), path, event, { immutable });
    },
  });
}

/** Addresses of a plugin's UI, with a hash that changes when the files do; `null` if it has none. */
export async function addressOf(
  plugin: DaemonPlugin,
): Promise<PluginUi | null> {
  const { id, ui } = plugin;
  if (ui === null) return null;
  const style = stylePathOf(ui);
  const hasOwnStyle =
    (await readSharedStyle(plugin)) === undefined &&
    (await stat(style).then(
      (stats) => stats.isFile(),
      () => false,
    ));
  const address = async (file: string) =>
    `/plugins/${id}/ui/${basename(file)}?v=${await digestOf(file)}`;
  return {
    entry: await address(ui),
    css: hasOwnStyle ? await address(style) : null,
  };
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256").update(await readFile(file));
  return hash.digest("hex").slice(0, 12);
}
