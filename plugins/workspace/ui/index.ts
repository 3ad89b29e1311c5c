import { definePluginUi } from "@gantry/ui-kit";
import ComposerFiles from "./composer/ComposerFiles.vue";

export default definePluginUi({
  slots: {
    "agent.tabs": [
      {
        id: "files",
        label: "Files",
        icon: "i-lucide-folder-tree",
        order: 10,
        component: () => import("./pages/FilesPage.vue"),
      },
      {
        id: "changes",
        label: "Changes",
        icon: "i-lucide-file-diff",
        order: 20,
        component: () => import("./pages/ChangesPage.vue"),
      },
      {
        id: "history",
        label: "History",
        icon: "i-lucide-git-graph",
        order: 30,
        component: () => import("./pages/HistoryPage.vue"),
      },
    ],
    "composer.menu": [{ component: ComposerFiles }],
  },
});
