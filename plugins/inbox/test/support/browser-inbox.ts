import { fileURLToPath } from "node:url";
import type { NewEvent, PluginDefinition } from "@gantry/plugin";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { createSources } from "./sources.ts";

/** A kernel that serves the built shell and the built Inbox, and a browser to look at it. */
export interface BrowserInbox extends BrowserStage {
  emit(...events: NewEvent[]): Promise<void>;
}

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));

export async function startBrowserInbox(
  beside: readonly PluginDefinition[] = [],
): Promise<BrowserInbox> {
  const sources = createSources();
  const stage = await startBrowserStage([...beside, sources.plugin], {
    package: packageFolder,
  });
  return { ...stage, emit: sources.emit };
}
