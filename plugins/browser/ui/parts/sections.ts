/** The browser's pages besides the live one. */
export const sections = [
  {
    id: "annotations",
    label: "Annotations",
    icon: "i-lucide-message-square-quote",
    to: "/browser/annotations",
  },
  {
    id: "downloads",
    label: "Downloads",
    icon: "i-lucide-download",
    to: "/browser/downloads",
  },
  {
    id: "history",
    label: "History",
    icon: "i-lucide-history",
    to: "/browser/history",
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
