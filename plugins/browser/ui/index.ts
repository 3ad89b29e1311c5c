import { definePluginUi } from "@gantry/ui-kit";

const AgentBrowser = () => import("./agents/AgentBrowser.vue");
const AgentPreview = () => import("./preview/AgentPreview.vue");
const AgentQuestions = () => import("./agents/AgentQuestions.vue");
const TabsPage = () => import("./pages/TabsPage.vue");

export default definePluginUi({
  pages: [
    // The first of the sections, so that the entry of the navigation leads to something.
    { path: "/", title: "Tabs of the browser", component: TabsPage },
    { path: "/tabs", title: "Tabs of the browser", component: TabsPage },
    {
      path: "/tabs/:id",
      title: "Tab of the browser",
      component: () => import("./pages/TabPage.vue"),
    },
    {
      path: "/history",
      title: "History",
      component: () => import("./pages/HistoryPage.vue"),
    },
    {
      path: "/downloads",
      title: "Downloads",
      component: () => import("./pages/DownloadsPage.vue"),
    },
    {
      path: "/annotations",
      title: "Annotations",
      component: () => import("./pages/AnnotationsPage.vue"),
    },
    {
      path: "/sites",
      title: "Sites",
      component: () => import("./pages/SitesPage.vue"),
    },
    {
      path: "/agents",
      title: "Agents in browsers",
      component: () => import("./pages/AgentsPage.vue"),
    },
  ],
  navigation: [
    {
      label: "Browser",
      icon: "i-lucide-globe",
      to: "/browser",
      order: 50,
      shortcut: "g w",
    },
  ],
  slots: {
    "agent.questions": [{ component: AgentQuestions }],
    "agent.preview": [{ component: AgentPreview }],
    "agent.sidebar": [{ component: AgentBrowser, order: 40 }],
  },
  commands: [
    {
      id: "browser:show-history",
      label: "History of browsers",
      icon: "i-lucide-history",
      keywords: ["visits", "browser"],
      to: "/browser/history",
    },
    {
      id: "browser:show-downloads",
      label: "Downloads of browsers",
      icon: "i-lucide-download",
      keywords: ["files", "browser"],
      to: "/browser/downloads",
    },
    {
      id: "browser:show-annotations",
      label: "Annotations of pages",
      icon: "i-lucide-message-square-quote",
      keywords: ["comments", "browser"],
      to: "/browser/annotations",
    },
    {
      id: "browser:show-sites",
      label: "Permissions of sites",
      icon: "i-lucide-shield-check",
      keywords: ["location", "camera", "browser"],
      to: "/browser/sites",
    },
    {
      id: "browser:show-agents",
      label: "What agents may do in browsers",
      icon: "i-lucide-bot",
      keywords: ["policy", "policies", "audit", "browser"],
      to: "/browser/agents",
    },
  ],
});
