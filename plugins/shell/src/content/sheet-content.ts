import { join } from "node:path";
import { fileContent } from "@gantry/plugin";
import type { ContentDefinition, PluginContext } from "@gantry/plugin";
import type { UtilitiesSheet } from "../utilities/utilities-sheet.ts";

/**
 * Creates the content of `/ui/utilities.css`. It is public as the shell is, and revalidated at each use, because it changes
 * with the plugins. While plugins are still to start, a request waits.
 *
 * @param shell `dist` folder of the built shell, `undefined` without one.
 */
export function createSheetContent(
  { daemon, signal, whenStarted }: PluginContext,
  sheet: UtilitiesSheet,
  shell: string | undefined,
): ContentDefinition {
  const started = new Promise<void>((resolve) => {
    whenStarted(resolve);
    signal.addEventListener("abort", () => resolve());
  });
  return {
    path: "/ui/utilities.css",
    access: "public",
    async handle() {
      await started;
      const uis = await daemon.pluginUis();
      const { folder, path } = await sheet.current({
        folders: [
          ...(shell === undefined ? [] : [join(shell, "tailwind")]),
          ...uis.map((ui) => ui.folder),
        ],
        styles: uis.flatMap(({ sharedStyle }) => sharedStyle ?? []),
      });
      return fileContent(folder, path);
    },
  };
}
