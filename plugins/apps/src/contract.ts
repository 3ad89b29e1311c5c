import { defineEvent, defineService } from "@gantry/plugin";
import type { AppAction, AppActionResult, AppBadge } from "./action.ts";
import type { AppView } from "./view.ts";

export { appActionResult, appBadge } from "./action.ts";
export type { AppAction, AppActionResult, AppBadge } from "./action.ts";
export { appView } from "./view.ts";
export type { AppBlock, AppButton, AppForm, AppTab, AppView } from "./view.ts";

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
   * What is to be shown at a path of the app; `""` is its first page. Has 5 s.
   *
   * @returns an {@link AppView}; one that does not fit is refused with the field that is wrong
   */
  view(input: { path: string }, signal: AbortSignal): Promise<AppView>;
  /** Does what a button, a row or a form asks for. Has 5 s. */
  action?(input: AppAction, signal: AbortSignal): Promise<AppActionResult>;
}

/** Takes apps of plugins. */
export interface AppRegistry {
  /**
   * Adds an app. It is taken away when `signal` aborts: hand over the plugin's own. Apps hold functions, so this service
   * stays in this process.
   *
   * Rejects with `APP_TAKEN` (409) for an id that is taken, and with a TypeError for an app that does not fit.
   */
  add(app: App, signal: AbortSignal): Promise<void>;
}

export const AppRegistry = defineService<AppRegistry>("apps.registry@1");

export const AppsChanged = defineEvent<{ apps: string[] }>(
  "apps.list-changed",
  "An app came or went, or the order was changed.",
);
export const AppActed = defineEvent<{ action: string }>(
  "apps.action-done",
  "An action of an app was done.",
);
