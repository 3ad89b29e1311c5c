import { definePlugin, NoticeRaised } from "@gantry/plugin";
import {
  AgentDeleted,
  AgentMessages,
  DialogClosed,
  DialogOpened,
} from "@gantry/plugin-agents/contract";
import { NotifyFailed, RunFinished } from "@gantry/plugin-automations/contract";
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
import { createDialogItems } from "./sources/dialogs.ts";
import { createNotificationListener } from "./sources/failed-notifications.ts";
import { createRunListener } from "./sources/finished-runs.ts";
import { createMarkers } from "./sources/markers.ts";
import { createNoticeListener } from "./sources/notices.ts";

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
    const closed = createMarkers(store, clock, "closed-dialog");
    const gone = createMarkers(store, clock, "deleted-agent");
    const dialogs = createDialogItems({ items, intake, serial, closed, gone });
    await dialogs.resume();

    for (const route of createItemRoutes(items)) ctx.route(route);
    ctx.route(
      createReplyRoute(
        createReplies({ items, messages: wants.messages, signal }),
      ),
    );
    ctx.provide(InboxItems, createStoredInboxItems(items, intake, clock));

    ctx.on(RunFinished, createRunListener(intake), { durable: "runs" });
    ctx.on(NotifyFailed, createNotificationListener(intake), {
      durable: "notifications",
    });
    ctx.on(NoticeRaised, createNoticeListener(intake), { durable: "notices" });
    ctx.on(DialogOpened, dialogs.opened, { durable: "dialogs-opened" });
    ctx.on(DialogClosed, dialogs.closed, { durable: "dialogs-closed" });
    ctx.on(AgentDeleted, dialogs.agentDeleted, { durable: "agents-deleted" });
    ctx.cron(
      "17 4 * * *",
      () => Promise.all([closed.prune(), gone.prune(), prune()]).then(() => {}),
      { timezone: "UTC" },
    );
    // A daemon that never runs at night removes them when it starts.
    void prune().catch((error: unknown) => {
      if (!signal.aborted) log.error("Old items were not removed", {}, error);
    });
  },
});
