import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeCompressed } from "./compress.ts";
import { OUTPUT, readPluginFolder, type PluginFolder } from "./manifest.ts";
import { readUiSources } from "./sources.ts";

/**
 * Makes the plugin in the current directory: `dist/` with its server file, its programs and its UI. What was in
 * `dist/` is gone afterwards, also when the build fails, so that no old file passes for a new one.
 *
 * @returns what was built.
 * @throws BuildProblem for a fault in the plugin; other errors come from the compilers. AggregateError if both the
 *   server and the UI fail.
 */
export async function buildPlugin(): Promise<PluginFolder> {
  const plugin = readPluginFolder(process.cwd());
  const dist = join(plugin.folder, OUTPUT.folder);
  await rm(dist, { recursive: true, force: true });
  const parts = await Promise.allSettled([
    Object.keys(plugin.programs).length > 0 && buildServer(plugin),
    plugin.uiEntry !== undefined && buildUi(plugin.folder, plugin.uiEntry),
  ]);
  const failures = parts.filter((part) => part.status === "rejected");
  if (failures.length > 0) {
    await rm(dist, { recursive: true, force: true });
    const reasons = failures.map((failure) => failure.reason as unknown);
    throw reasons.length === 1 ? reasons[0] : new AggregateError(reasons);
  }
  return plugin;
}

// Each half loads its compilers itself: they take longer to load than a small plugin takes to build.

async function buildServer(plugin: PluginFolder): Promise<void> {
  const { bundleServer } = await import("./server.ts");
  await bundleServer(plugin);
}

async function buildUi(folder: string, entry: string): Promise<void> {
  const { bundleUi } = await import("./ui.ts");
  const { findCandidates } = await import("./candidates.ts");
  const sources = readUiSources(folder);
  const files = await bundleUi(folder, entry, sources);
  files.push({
    path: "candidates.json",
    content: JSON.stringify(findCandidates(sources)),
  });
  await writeCompressed(join(folder, OUTPUT.folder, "ui"), files);
}
