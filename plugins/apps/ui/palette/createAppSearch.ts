import { api, type PaletteItem } from "@gantry/ui-kit";
import { embeddedIcons } from "../icons/embeddedIcons.ts";
import { appAddress, appApi } from "../view/appRoute.ts";
import type { AppList, Button, ListedApp, View } from "../wire.ts";
import { createMemory } from "./createMemory.ts";
import { runAppAction } from "./runAppAction.ts";

/** How long the palette waits for an app: others have found something already. */
const PATIENCE_MS = 300;
const FRESH_MS = 60_000;
/** Apps whose first page is read for a query. */
const MAX_VIEWS = 2;
const MAX_ACTIONS = 6;

/**
 * Makes the function that finds apps for the command palette, and the actions of the first page of an app that is named.
 * The list is read when the palette opens; what does not come in time is found by the next letter.
 */
export function createAppSearch(): (
  query: string,
  signal: AbortSignal,
) => Promise<readonly PaletteItem[]> {
  const lists = createMemory<AppList>(FRESH_MS);
  const views = createMemory<View>(FRESH_MS);

  const readList = () =>
    lists.read("", PATIENCE_MS, () => api.get<AppList>("/api/apps"));
  const readView = (id: string) =>
    views.read(id, PATIENCE_MS, () => api.get<View>(appApi(id, "view")));

  return async (query) => {
    const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) {
      // Without a word the palette shows what people go back to, and those are agents.
      void readList();
      return [];
    }
    const list = await readList();
    if (!list) return [];
    const found = list.items.filter((app) => isNamed(app, words));
    const lines = await Promise.all(
      list.items.map(async (app) => {
        const at = found.indexOf(app);
        const view =
          at >= 0 && at < MAX_VIEWS
            ? await readView(app.id)
            : views.peek(app.id);
        const buttons = view ? buttonsOf(view) : [];
        return [
          ...(words.every((word) => textOf(app).includes(word))
            ? [toAppItem(app)]
            : []),
          ...buttons
            .filter(({ label }) => isAsked(app, label, words))
            .slice(0, MAX_ACTIONS)
            .map((button) => toActionItem(app, button)),
        ];
      }),
    );
    return lines.flat();
  };
}

const textOf = ({ name, summary }: ListedApp) =>
  `${name} ${summary}`.toLowerCase();

/** Tells whether a word begins one of the words of the app's name. */
function isNamed({ name }: ListedApp, words: readonly string[]): boolean {
  const parts = name.toLowerCase().split(/\s+/);
  return words.some((word) => parts.some((part) => part.startsWith(word)));
}

function isAsked(
  { name }: ListedApp,
  label: string,
  words: readonly string[],
): boolean {
  const text = `${name} ${label}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The buttons of a page that belong to no row. */
function buttonsOf({ actions, blocks }: View): Button[] {
  const all = [
    ...actions,
    ...blocks.flatMap((block) =>
      block.type === "actions" ? block.buttons : [],
    ),
  ];
  return all.filter(({ isDisabled }) => !isDisabled);
}

const iconOf = (icon: string | undefined, standIn: string) =>
  icon !== undefined && embeddedIcons.has(icon) ? icon : standIn;

function toAppItem({ id, name, icon, summary }: ListedApp): PaletteItem {
  return {
    id: `app-${id}`,
    label: name,
    detail: summary,
    icon: iconOf(icon, "i-lucide-layout-grid"),
    to: appAddress(id),
  };
}

function toActionItem(app: ListedApp, button: Button): PaletteItem {
  const { label, icon, action, path } = button;
  const common = {
    id: `action-${app.id}-${action ?? ""}-${path ?? ""}-${label}`,
    label: `${app.name}: ${label}`,
    icon: iconOf(icon, iconOf(app.icon, "i-lucide-zap")),
  };
  if (path !== undefined) return { ...common, to: appAddress(app.id, path) };
  return {
    ...common,
    run: (context) => runAppAction(app, button, context),
  };
}
