import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DaemonPlugin } from "@gantry/plugin";

/** Path of a plugin's own style sheet, which need not be there. */
export function stylePathOf(ui: string): string {
  return join(dirname(ui), "style.css");
}

/**
 * The styles of a plugin that go into the one sheet of all, so that the first page asks for fewer files; `undefined` if it has
 * none, or its own file is served. That of an added plugin is: whatever is wrong in it cannot reach others there.
 */
export async function readSharedStyle({
  origin,
  ui,
}: DaemonPlugin): Promise<string | undefined> {
  if (origin !== "builtin" || ui === null) return undefined;
  const css = await readFile(stylePathOf(ui), "utf8").catch(() => undefined);
  // An address in it is relative to its own file.
  return css?.includes("url(") ? undefined : css;
}
