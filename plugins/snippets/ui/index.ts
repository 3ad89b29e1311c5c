import { definePluginUi } from "@gantry/ui-kit";
import ComposerSnippets from "./composer/ComposerSnippets.vue";
import InsertButton from "./composer/InsertButton.vue";
import SaveButton from "./conversation/SaveButton.vue";
import { chooseAndSend, searchSnippets } from "./snippets/palette.ts";

const newSnippet = "/snippets/new";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "Snippets",
      component: () => import("./pages/SnippetsPage.vue"),
      // What narrows the list is in its address.
      keep: true,
    },
    {
      path: "/new",
      title: "New snippet",
      component: () => import("./pages/NewSnippetPage.vue"),
    },
    {
      path: "/:id",
      name: "snippet",
      title: "Snippet",
      component: () => import("./pages/SnippetPage.vue"),
    },
  ],
  navigation: [
    {
      label: "Snippets",
      icon: "i-lucide-text-quote",
      to: "/snippets",
      order: 40,
      shortcut: "g n",
    },
  ],
  slots: {
    "composer.actions": [{ component: InsertButton }],
    "composer.menu": [{ component: ComposerSnippets }],
    "conversation.selection": [{ component: SaveButton }],
    // Not with every page of the app: a terminal is open on one.
    "terminal.actions": [
      { component: () => import("./terminal/TerminalSnippets.vue") },
    ],
  },
  commands: [
    {
      id: "snippets:create-snippet",
      label: "New snippet",
      icon: "i-lucide-plus",
      keywords: ["prompt", "command", "template", "save"],
      to: newSnippet,
    },
    {
      id: "snippets:send-snippet",
      label: "Send snippet",
      icon: "i-lucide-send-horizontal",
      keywords: ["insert", "prompt", "snip"],
      run: chooseAndSend,
    },
    {
      id: "snippets:import-prompt",
      label: "Import a prompt",
      icon: "i-lucide-import",
      keywords: ["snippet", "paste"],
      to: "/snippets?import=1",
    },
  ],
  search: searchSnippets,
});
