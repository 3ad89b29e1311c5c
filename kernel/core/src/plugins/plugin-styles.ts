import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PluginPackage } from "./manifest.ts";

/** Path of a plugin's own style sheet, which may not exist. */
export function stylePathOf(ui: string): string {
  return join(dirname(ui), "style.css");
}

/**
 * Reads the styles of a plugin for the shared sheet, which saves requests for the first page. `undefined` without styles, and
 * if the plugin's own file is served: for an added plugin, so that mistakes in it do not affect others.
 */
export async function readSharedStyle({
  origin,
  ui,
}: Pick<PluginPackage, "origin" | "ui">): Promise<string | undefined> {
  if (origin !== "builtin" || ui === undefined) return undefined;
  const css = await readFile(stylePathOf(ui), "utf8").catch(() => undefined);
  // Addresses in the sheet are relative to its own file.
  return css?.includes("url(") ? undefined : css;
}
