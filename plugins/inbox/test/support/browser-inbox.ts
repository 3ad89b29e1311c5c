import { fileURLToPath } from "node:url";
import type { NewEvent, PluginDefinition } from "@gantry/plugin";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { ItemAdded } from "../../src/contract.ts";
import type { InboxItem } from "../../src/contract.ts";
import { createSources } from "./sources.ts";

/** A kernel that serves the built shell and the built Inbox, and a browser to look at it. */
export interface BrowserInbox extends BrowserStage {
  emit(...events: NewEvent[]): Promise<void>;
  /** Emits an event, and gives the id of the item that is added for it. */
  tell(event: NewEvent): Promise<string>;
  itemOf(id: string): Promise<InboxItem>;
}

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));

export async function startBrowserInbox(
  beside: readonly PluginDefinition[] = [],
): Promise<BrowserInbox> {
  const sources = createSources();
  const stage = await startBrowserStage([...beside, sources.plugin], {
    package: packageFolder,
  });
  const { kernel } = stage;
  return {
    ...stage,
    emit: sources.emit,
    async tell(event) {
      const added = kernel.events.next(ItemAdded);
      await sources.emit(event);
      const { subject } = await added;
      // Another moment for each, so that the order of listings is certain.
      await kernel.clock.advance(1000);
      return subject;
    },
    itemOf: async (id) =>
      (await kernel.api.get<InboxItem>(`/api/inbox/${id}`)).body,
  };
}
