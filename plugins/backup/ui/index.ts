import { definePluginUi } from "@gantry/ui-kit";
import { commands } from "./commands.ts";
import BackupCard from "./home/BackupCard.vue";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "Backup",
      component: () => import("./pages/BackupPage.vue"),
    },
    {
      path: "/settings",
      title: "Backup settings",
      component: () => import("./pages/SettingsPage.vue"),
    },
    {
      path: "/restore/:id?",
      name: "restore",
      title: "Restore",
      component: () => import("./pages/RestorePage.vue"),
      // It follows a restore, and which snapshot is chosen is in its address.
      keep: true,
    },
  ],
  navigation: [
    {
      label: "Backup",
      icon: "i-lucide-archive-restore",
      to: "/backup",
      order: 80,
      shortcut: "g b",
    },
  ],
  slots: { dashboard: [{ component: BackupCard, order: 60 }] },
  commands,
});
