/** The pages of the plugin, in the order in which they are linked. */
export const sections = [
  {
    id: "tabs",
    label: "Tabs",
    icon: "i-lucide-app-window",
    to: "/browser/tabs",
  },
  {
    id: "history",
    label: "History",
    icon: "i-lucide-history",
    to: "/browser/history",
  },
  {
    id: "downloads",
    label: "Downloads",
    icon: "i-lucide-download",
    to: "/browser/downloads",
  },
  {
    id: "annotations",
    label: "Annotations",
    icon: "i-lucide-message-square-quote",
    to: "/browser/annotations",
  },
  {
    id: "sites",
    label: "Sites",
    icon: "i-lucide-shield-check",
    to: "/browser/sites",
  },
  {
    id: "agents",
    label: "Agents",
    icon: "i-lucide-bot",
    to: "/browser/agents",
  },
] as const;
export type SectionId = (typeof sections)[number]["id"];
