import { definePluginUi } from "@gantry/ui-kit";
import { computed } from "vue";
import { useBackup } from "./backup/useBackup.ts";
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
      badge() {
        const { state } = useBackup();
        return computed(() => ({
          count: state.value?.problem ? 1 : 0,
          tone: "attention",
          label: "the last backup failed",
        }));
      },
    },
  ],
  slots: { dashboard: [{ component: BackupCard, order: 60 }] },
  commands,
  firstSteps: [
    {
      id: "backup:choose-folder",
      title: "Choose where backups go",
      description:
        "Gantry then saves everything by itself, and you can bring any of it back.",
      icon: "i-lucide-archive-restore",
      to: "/backup",
      action: "Set up backup",
      order: 50,
      done() {
        const { state } = useBackup();
        return computed(
          () => state.value && state.value.settings.folder !== null,
        );
      },
    },
  ],
});
