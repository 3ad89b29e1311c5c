import { defineEvent, defineService } from "@gantry/plugin";
import type { AppAction, AppActionResult, AppBadge } from "./action.ts";
import type { AppView } from "./view.ts";

export { appActionResult, appBadge } from "./action.ts";
export type { AppAction, AppActionResult, AppBadge } from "./action.ts";
export { appView } from "./view.ts";
export type {
  AppBlock,
  AppButton,
  AppForm,
  AppLeaf,
  AppTab,
  AppView,
  ShownBlock,
  ShownButton,
  ShownLeaf,
  ShownView,
} from "./view.ts";

/** A small tool whose pages are data, drawn by the shell. */
export interface App {
  /** Kebab-case, at most 40 characters; unique among all apps. */
  id: string;
  /** One to three words. */
  name: string;
  /** `i-lucide-…` */
  icon: string;
  /** One sentence: what it is good for. */
  summary: string;
  /** Asked for when apps are listed, with a time limit of 1 s; one that fails shows no badge. */
  badge?(input: object, signal: AbortSignal): Promise<AppBadge | null>;
  /**
   * What is to be shown at a path of the app; `""` is its first page. Has 5 s, after which `signal` aborts; four at once.
   *
   * @returns an {@link AppView} of at most 1 MiB; one that does not fit is refused with the field that is wrong
   * @throws an error of the plugin's own table to refuse in its own words: 404 for a page that is not there
   */
  view(input: { path: string }, signal: AbortSignal): Promise<AppView>;
  /**
   * Does what a button, a row or a form asks for. Has 5 s, after which `signal` aborts. Any paired client may ask for any
   * action with any arguments: check them.
   *
   * @throws an error of the plugin's own table to refuse in its own words
   */
  action?(input: AppAction, signal: AbortSignal): Promise<AppActionResult>;
}

/** Takes apps of plugins. */
export interface AppRegistry {
  /**
   * Adds an app of the plugin that calls. It is taken away when `signal` aborts: hand over the `gone` of `whenThere`, or
   * the plugin's own. Apps hold functions, so this service stays in this process.
   *
   * Rejects with `APP_TAKEN` (409) for an id that is taken, with `APP_TOO_MANY` (409) for a plugin that has 100 apps, and
   * with a TypeError for an app that does not fit.
   */
  add(app: App, signal: AbortSignal): Promise<void>;
}

export const AppRegistry = defineService<AppRegistry>("apps.registry@1");

/** `apps`: ids of all that are there. */
export const AppsChanged = defineEvent<{ apps: string[] }>(
  "apps.list-changed",
  "An app came or went, or the order was changed.",
);
export const AppActed = defineEvent<{ action: string }>(
  "apps.action-done",
  "An action of an app was done.",
);
