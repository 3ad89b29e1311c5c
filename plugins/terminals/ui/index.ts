import { definePluginUi } from "@gantry/ui-kit";
import { openShell, searchTerminals } from "./palette.ts";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "Terminals",
      component: () => import("./pages/TerminalsPage.vue"),
      // Whether the dialog is open is in its address.
      keep: true,
    },
    {
      path: "/:id",
      name: "terminal",
      title: "Terminal",
      component: () => import("./pages/TerminalPage.vue"),
    },
  ],
  navigation: [
    {
      label: "Terminals",
      icon: "i-lucide-square-terminal",
      to: "/terminals",
      order: 35,
      shortcut: "g t",
    },
  ],
  slots: {
    "agent.terminal": [
      { component: () => import("./agent/AgentTerminals.vue") },
    ],
  },
  commands: [
    {
      id: "terminals:open-shell",
      label: "Open a shell",
      icon: "i-lucide-square-terminal",
      keywords: ["terminal", "console", "bash", "zsh"],
      run: openShell,
    },
    {
      id: "terminals:create-terminal",
      label: "New terminal",
      icon: "i-lucide-plus",
      keywords: ["shell", "program", "console"],
      to: "/terminals?new=1",
    },
  ],
  search: searchTerminals,
});
