import type { PluginUi, PluginUiDefinition } from "./pluginUi.ts";

/**
 * Declares a plugin's UI. It is the default export of the plugin's UI entry and does nothing until the shell takes it.
 *
 * @example
 * export default definePluginUi({
 *   pages: [{ path: "/", title: "Notes", component: () => import("./pages/NotesPage.vue") }],
 *   navigation: [{ label: "Notes", icon: "i-lucide-notebook", to: "/notes", shortcut: "g n" }],
 *   slots: { dashboard: [{ component: LatestNotes }] },
 *   commands: [{ id: "notes:create-note", label: "New note", to: "/notes/new" }],
 * });
 *
 * @throws TypeError if a page's path does not begin with `/`, or an id of a command is not `area:verb-noun`.
 */
export function definePluginUi(definition: PluginUiDefinition): PluginUi {
  for (const page of definition.pages ?? []) {
    if (!page.path.startsWith("/")) {
      throw new TypeError(
        `Page path "${page.path}" must begin with "/"; "/" is the plugin's own first page.`,
      );
    }
  }
  for (const { id } of [
    ...(definition.commands ?? []),
    ...(definition.firstSteps ?? []),
  ]) {
    if (!/^[a-z][a-z0-9-]*:[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(id)) {
      throw new TypeError(
        `Command id "${id}" is not of the form area:verb-noun.`,
      );
    }
  }
  return {
    kind: "plugin-ui",
    pages: definition.pages ?? [],
    navigation: definition.navigation ?? [],
    slots: definition.slots ?? {},
    commands: definition.commands ?? [],
    firstSteps: definition.firstSteps ?? [],
    search: definition.search,
  };
}
