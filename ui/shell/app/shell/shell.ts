import { ApiError, api, provenTimeZone, toApiError } from "@gantry/ui-kit";
import {
  sessionRefusedEvent,
  setDaemonTimeZone,
  type Kit,
} from "@gantry/ui-kit/host";
import { shallowRef, type App, type InjectionKey, type ShallowRef } from "vue";
import type {
  RouteLocationNormalized,
  Router,
  RouteRecordRaw,
} from "vue-router";
import { createPluginHost, type PluginHost } from "./pluginHost.ts";
import type { PluginInfo, SessionAnswer, SystemInfo } from "./wire.ts";

/** Why this browser is not paired: it never was, it was revoked, or the user logged out. */
export type UnpairedReason = "new" | "ended" | "left";

/** Who looks at the page. */
export type Access =
  | { status: "unknown" }
  | { status: "paired"; answer: SessionAnswer }
  | { status: "unpaired"; reason: UnpairedReason }
  | { status: "unreachable"; error: ApiError };

/** What holds the app together. */
export interface Shell {
  readonly access: Readonly<ShallowRef<Access>>;
  readonly plugins: PluginHost;
  /** Title of the page that is shown. */
  readonly title: Readonly<ShallowRef<string>>;
  /** Asks who is there, and loads the plugins' pages for the router. */
  start(): Promise<readonly RouteRecordRaw[]>;
  attach(router: Router): void;
  /** After pairing: opens what the user wanted to see. */
  enter(): Promise<void>;
  /** Requests the list of plugins again. */
  reloadPlugins(): Promise<void>;
  /** Requests the session again: the mode or the name of the device may have changed. */
  reloadSession(): Promise<void>;
  /** The session is over. */
  leave(reason: UnpairedReason): void;
}

export const shellKey: InjectionKey<Shell> = Symbol("gantry-shell");

/** How long the first page waits for plugins that are slow to load. Their pages come when they come. */
const patienceMs = 3_000;
const returnKey = "gantry-return-to";

/** Makes the shell of an app. */
export function createShell(
  app: App,
  kit: Kit,
  title: Readonly<ShallowRef<string>>,
): Shell {
  const access = shallowRef<Access>({ status: "unknown" });
  const plugins = createPluginHost(app, kit);
  let router: Router | undefined;

  async function askSession(): Promise<void> {
    try {
      access.value = {
        status: "paired",
        answer: await api.get<SessionAnswer>("/api/auth/session"),
      };
    } catch (thrown) {
      const error = toApiError(thrown);
      access.value =
        error.status === 401
          ? { status: "unpaired", reason: "new" }
          : { status: "unreachable", error };
    }
  }

  /** All of them: a page of the list is 50 unless asked for. */
  const listPlugins = () =>
    api.get<{ items: PluginInfo[] }>("/api/plugins", { query: { limit: 500 } });

  /** Only a browser that cannot name its own zone needs the daemon's. */
  async function askTimeZone(): Promise<void> {
    if (provenTimeZone() !== undefined) return;
    try {
      setDaemonTimeZone((await api.get<SystemInfo>("/api/system")).timeZone);
    } catch (error) {
      kit.report(error, undefined);
    }
  }

  async function askPlugins(): Promise<void> {
    const { items } = await listPlugins();
    await plugins.take(items);
  }

  /** Failing to list plugins leaves the app without their pages, and says so. */
  const reloadPlugins = () =>
    askPlugins().catch((error: unknown) => kit.report(error, undefined));

  function guard(to: RouteLocationNormalized): string | boolean {
    if (access.value.status === "unpaired" && to.path !== "/pair") {
      sessionStorage.setItem(returnKey, to.fullPath);
      return "/pair";
    }
    return true;
  }

  function leave(reason: UnpairedReason): void {
    if (access.value.status !== "paired") return;
    access.value = { status: "unpaired", reason };
    kit.events.stop();
    kit.cache.clear();
    const path = router?.currentRoute.value.fullPath;
    if (path && reason === "ended") sessionStorage.setItem(returnKey, path);
    void router?.replace("/pair");
  }

  window.addEventListener(sessionRefusedEvent, () => leave("ended"));
  kit.events.onStale(() => void reloadPlugins());

  return {
    access,
    plugins,
    title,
    async start() {
      // Both at once: one round trip fewer before the first page. Without a session the second is refused, no more.
      const list = listPlugins().catch(toApiError);
      await askSession();
      if (access.value.status !== "paired") return [];
      await askTimeZone();
      const answer = await list;
      if (answer instanceof ApiError) {
        kit.report(answer, undefined);
        return [];
      }
      const loading = plugins.take(answer.items);
      await Promise.race([
        loading,
        new Promise((resolve) => setTimeout(resolve, patienceMs)),
      ]);
      return plugins.routes();
    },
    attach(created) {
      router = created;
      plugins.attach(created);
      created.beforeEach(guard);
      if (access.value.status === "paired") kit.events.start();
    },
    async enter() {
      await askSession();
      if (access.value.status !== "paired") return;
      await askTimeZone();
      await askPlugins().catch((error: unknown) =>
        kit.report(error, undefined),
      );
      kit.events.start();
      const target = sessionStorage.getItem(returnKey) ?? "/";
      sessionStorage.removeItem(returnKey);
      await router?.replace(target);
    },
    reloadPlugins,
    reloadSession: askSession,
    leave,
  };
}
