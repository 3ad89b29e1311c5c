import type { MaybeRefOrGetter } from "vue";
import type { RouteMeta, Router } from "vue-router";
import type { Tone } from "../tone.ts";
import type { SlotContributions } from "./slots.ts";
import type { ComponentSource } from "./componentSource.ts";

/** A page of a plugin. */
export interface PageDefinition {
  /** Below the plugin's own path, as vue-router writes it: `/` is `/notes`, `/:id` is `/notes/:id` for plugin `notes`. */
  path: string;
  /** Makes the route's name `<plugin id>/<name>`, for navigation by name. */
  name?: string;
  /** Title of the document until the page's `PageShell` says otherwise. */
  title?: string;
  component: ComponentSource;
  /**
   * Keeps the page when only parameters of its path change, so that it has to follow them itself. Otherwise another
   * `/:id` is a fresh page.
   */
  keep?: boolean;
  meta?: RouteMeta;
}

/** A number beside an entry of the navigation. */
export interface NavigationBadge {
  /** 0 shows nothing. */
  count: number;
  /** `attention` if it waits for a person; `neutral` unless said. */
  tone?: Tone;
  /** What is counted, for people who hear the page: `3 unread`. */
  label?: string;
}

/** One line under an entry of the navigation: something active that people switch to often. */
export interface NavigationChild {
  id: string;
  label: string;
  to: string;
  tone?: Tone;
  /** State in a word, read aloud and shown on hover: `working`. */
  status?: string;
}

/** An entry of the navigation: in the sidebar on a desk, in the bar at the bottom on a phone. */
export interface NavigationDefinition {
  label: string;
  /** `i-lucide-…` */
  icon: string;
  to: string;
  /** Small numbers come first; 100 unless said. */
  order?: number;
  /** Keys that lead there, such as `g a`. They are listed in the help that `?` opens. */
  shortcut?: string;
  /** Called once, like a composable; it may use `useResource` and `useEvents`. */
  badge?: () => MaybeRefOrGetter<NavigationBadge | null | undefined>;
  /** Called once, like a composable. The sidebar shows the first eight. */
  children?: () => MaybeRefOrGetter<readonly NavigationChild[]>;
}

/** What a command is given when it runs. */
export interface CommandContext {
  router: Router;
}

/** Something that the command palette can do. */
export interface CommandDefinition {
  /** `area:verb-noun`, such as `notes:create-note`. */
  id: string;
  label: string;
  icon?: string;
  /** Further words to find it by. */
  keywords?: readonly string[];
  /** Keys that run it from anywhere, such as `c` or `mod+shift+n`. */
  shortcut?: string;
  /** Page to go to. */
  to?: string;
  /** What to do instead. It starts inside the app, so composables work up to its first `await`. */
  run?: (context: CommandContext) => void | Promise<void>;
  /** Leaves it out while this is false. */
  when?: () => boolean;
  /** Makes it a button at the top of the home page too. For the one thing that people come to do. */
  onHome?: boolean;
}

/** One thing that a search found. */
export interface PaletteItem {
  id: string;
  label: string;
  detail?: string;
  icon?: string;
  to?: string;
  run?: (context: CommandContext) => void | Promise<void>;
}

/** A step that the home page offers until it is done. */
export interface FirstStep {
  /** `area:verb-noun`, such as `agents:create-agent`. */
  id: string;
  title: string;
  /** One sentence: what it is good for. */
  description: string;
  icon: string;
  to: string;
  /** Label of its button. */
  action: string;
  order?: number;
  /** Called once, like a composable. `undefined` while it is not known yet. */
  done: () => MaybeRefOrGetter<boolean | undefined>;
}

/** All that a plugin's UI may give to the shell. Every part may be left out. */
export interface PluginUiDefinition {
  pages?: readonly PageDefinition[];
  navigation?: readonly NavigationDefinition[];
  slots?: SlotContributions;
  commands?: readonly CommandDefinition[];
  firstSteps?: readonly FirstStep[];
  /**
   * Finds things for the command palette. Called with an empty text when the palette opens, for the few things that people
   * go back to most, of which the first six are shown; and while the user types, from two letters on.
   */
  search?: (
    query: string,
    signal: AbortSignal,
  ) => Promise<readonly PaletteItem[]>;
}

/** A plugin's UI as the shell takes it: the default export of its entry. */
export interface PluginUi extends Readonly<
  Required<Omit<PluginUiDefinition, "search">>
> {
  readonly kind: "plugin-ui";
  readonly search: PluginUiDefinition["search"];
}
