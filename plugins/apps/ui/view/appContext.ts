import { inject, type InjectionKey } from "vue";
import type { ActionMenu } from "../buttons/useActionMenu.ts";
import type { AppActions } from "./useAppActions.ts";

/** What every part of an app's page knows of it. */
export interface AppContext {
  readonly appId: string;
  /** The page of the app that is shown. */
  readonly path: string;
  readonly actions: AppActions;
  readonly menu: ActionMenu;
}

export const appContextKey: InjectionKey<AppContext> = Symbol("app-page");

/** The page that a block belongs to. */
export function useAppContext(): AppContext {
  const context = inject(appContextKey);
  if (!context) throw new Error("This is no part of an app's page.");
  return context;
}
