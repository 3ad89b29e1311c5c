import { definePlugin } from "@gantry/plugin";
import { AgentMessages } from "@gantry/plugin-agents/contract";
import { InboxItems, ItemAdded, ItemChanged, ItemRemoved } from "./contract.ts";
import { errors } from "./errors.ts";
import { createIntake } from "./items/intake.ts";
import { itemCollection } from "./items/item-record.ts";
import { openItems } from "./items/items.ts";
import { createPruning } from "./items/pruning.ts";
import { createSerial } from "./items/serial.ts";
import { createStoredInboxItems } from "./items/stored-inbox-items.ts";
import { createReplies } from "./replies.ts";
import { createItemRoutes } from "./routes/item-routes.ts";
import { createReplyRoute } from "./routes/reply-route.ts";
import { listenToSources } from "./sources/listen-to-sources.ts";

export default definePlugin({
  id: "inbox",
  api: 1,
  summary:
    "What agents and automations have to tell or to ask, in one list that can be answered from",
  mounts: ["/api/inbox"],
  wants: { messages: AgentMessages },
  provides: [InboxItems],
  events: [ItemAdded, ItemChanged, ItemRemoved],
  errors,
  async setup({ store, clock, wants, signal, log, ...ctx }) {
    const collection = store.collection(itemCollection);
    const items = openItems(collection);
    const prune = createPruning({ items: collection, store, clock, signal });
    const serial = createSerial();
    const intake = createIntake(items, serial);

    for (const route of createItemRoutes(items)) ctx.route(route);
    ctx.route(
      createReplyRoute(
        createReplies({ items, messages: wants.messages, signal }),
      ),
    );
    ctx.provide(InboxItems, createStoredInboxItems(items, intake, clock));
    const { pruneMarkers } = await listenToSources(
      { ...ctx, store, clock },
      { items, intake, serial },
    );

    ctx.cron(
      "17 4 * * *",
      async () => void (await Promise.all([pruneMarkers(), prune()])),
      { timezone: "UTC" },
    );
    // A daemon that never runs at night removes them when it starts.
    void prune().catch((error: unknown) => {
      if (!signal.aborted) log.error("Old items were not removed", {}, error);
    });
  },
});
