import { definePluginUi } from "@gantry/ui-kit";
import AgentBrowser from "./sidebar/AgentBrowser.vue";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "Browser",
      component: () => import("./pages/BrowserPage.vue"),
      // The page's address selects the tab.
      keep: true,
    },
    {
      path: "/annotations",
      title: "Annotations",
      component: () => import("./pages/AnnotationsPage.vue"),
      keep: true,
    },
    {
      path: "/downloads",
      title: "Downloads",
      component: () => import("./pages/DownloadsPage.vue"),
      keep: true,
    },
    {
      path: "/history",
      title: "History",
      component: () => import("./pages/HistoryPage.vue"),
      keep: true,
    },
    {
      path: "/sites",
      title: "Sites",
      component: () => import("./pages/SitesPage.vue"),
      keep: true,
    },
    {
      path: "/agents",
      title: "Agents in the browser",
      component: () => import("./pages/AgentsPage.vue"),
      keep: true,
    },
  ],
  navigation: [
    {
      label: "Browser",
      icon: "i-lucide-globe",
      to: "/browser",
      order: 36,
      shortcut: "g w",
    },
  ],
  slots: {
    "agent.sidebar": [{ component: AgentBrowser, order: 40 }],
  },
  commands: [
    {
      id: "browser:open-page",
      label: "Open a page in the browser",
      icon: "i-lucide-globe",
      keywords: ["browse", "web", "url", "preview", "site", "tab"],
      to: "/browser?tab=new",
    },
  ],
});
