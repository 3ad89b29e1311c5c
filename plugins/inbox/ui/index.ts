import { definePluginUi } from "@gantry/ui-kit";
import { commands } from "./commands.ts";
import InboxCard from "./components/InboxCard.vue";
import { useInboxBadge } from "./useInboxBadge.ts";

export default definePluginUi({
  pages: [
    {
      // One page for the list and the item beside it, so that opening an item leaves the list where it is.
      path: "/:id?",
      name: "inbox",
      title: "Inbox",
      keep: true,
      component: () => import("./pages/InboxPage.vue"),
    },
  ],
  navigation: [
    {
      label: "Inbox",
      icon: "i-lucide-inbox",
      to: "/inbox",
      order: 20,
      shortcut: "g i",
      badge: useInboxBadge,
    },
  ],
  slots: { dashboard: [{ component: InboxCard, order: 20 }] },
  commands,
});
