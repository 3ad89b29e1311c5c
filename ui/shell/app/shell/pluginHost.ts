import {
  computed,
  shallowRef,
  type App,
  type ComputedRef,
  type ShallowRef,
} from "vue";
import type { Router, RouteRecordRaw } from "vue-router";
import type { CommandDefinition, PluginUi } from "@gantry/ui-kit";
import type { Kit, SlotEntry } from "@gantry/ui-kit/host";
import {
  createHostedUi,
  type HostedUi,
  type LiveFirstStep,
  type LiveNavigation,
} from "./hostedPlugin.ts";
import { describeFailure, loadPluginUi, removeStyles } from "./loadPluginUi.ts";
import { refreshUtilities } from "./refreshUtilities.ts";
import type { PluginInfo } from "./wire.ts";

/** A plugin as the app knows it. */
export interface HostedPlugin {
  readonly info: PluginInfo;
  /** `late` is still loading after ten seconds, and becomes `ready` when it has loaded. */
  readonly ui: "none" | "loading" | "late" | "ready" | "failed";
  /** Why its UI did not load. */
  readonly failure: string | undefined;
  readonly hosted: HostedUi | undefined;
}

/** A command with the plugin that it is from. */
export interface HostedCommand extends CommandDefinition {
  readonly plugin: string;
}

/** Loads the UIs of the active plugins, and lets them come and go while the app runs. */
export interface PluginHost {
  readonly plugins: Readonly<ShallowRef<readonly HostedPlugin[]>>;
  readonly navigation: ComputedRef<readonly LiveNavigation[]>;
  readonly firstSteps: ComputedRef<readonly LiveFirstStep[]>;
  readonly commands: ComputedRef<readonly HostedCommand[]>;
  readonly searches: ComputedRef<
    readonly { plugin: string; search: NonNullable<PluginUi["search"]> }[]
  >;
  /** Takes the daemon's list: loads what is new, drops what is gone. Resolves when all have loaded, failed or are late. */
  take(list: readonly PluginInfo[]): Promise<void>;
  /** The pages that are there before the router is; from then on pages are added to it. */
  routes(): readonly RouteRecordRaw[];
  attach(router: Router): void;
  retry(id: string): Promise<void>;
}

const LATE_MS = 10_000;

/** Makes the plugin host of an app. */
export function createPluginHost(app: App, kit: Kit): PluginHost {
  const plugins = shallowRef<readonly HostedPlugin[]>([]);
  const attempts = new Map<string, number>();
  let router: Router | undefined;

  const find = (id: string) =>
    plugins.value.find((plugin) => plugin.info.id === id);
  const ready = computed(() =>
    plugins.value.flatMap(({ hosted }) => hosted ?? []),
  );

  function put(next: HostedPlugin): void {
    const others = plugins.value.filter(({ info }) => info.id !== next.info.id);
    plugins.value = [...others, next].sort((one, other) =>
      one.info.id.localeCompare(other.info.id),
    );
    fillSlots();
  }

  function fillSlots(): void {
    const slots = new Map<string, SlotEntry[]>();
    for (const hosted of ready.value) {
      for (const [name, entries] of hosted.slots)
        slots.set(name, [...(slots.get(name) ?? []), ...entries]);
    }
    for (const entries of slots.values())
      entries.sort((one, other) => one.order - other.order);
    kit.slots.value = slots;
  }

  function unmount(plugin: HostedPlugin): void {
    for (const route of plugin.hosted?.routes ?? []) {
      if (route.name !== undefined) router?.removeRoute(route.name);
    }
    plugin.hosted?.dispose();
    removeStyles(plugin.info.id);
  }

  /** Shows at the current address what belongs there now. */
  async function settle(): Promise<void> {
    const current = router?.currentRoute.value;
    if (!router || !current) return;
    if (
      router.resolve(current.fullPath).matched.at(-1) === current.matched.at(-1)
    )
      return;
    await router.replace({ path: current.fullPath, force: true });
  }

  /** Loads a plugin's UI. Resolves when that is done, or late; what is late is shown when it arrives. */
  async function load(info: PluginInfo, styled?: Promise<void>): Promise<void> {
    const loading = show(info, styled)
      .then(settle)
      .catch((thrown: unknown) => kit.report(thrown, info.id));
    if (await isDoneWithin(loading, LATE_MS)) return;
    const plugin = find(info.id);
    if (plugin?.info === info && plugin.ui === "loading")
      put({ ...plugin, ui: "late" });
  }

  /** Shows a plugin's UI when it is there, and what it looks right with. */
  async function show(info: PluginInfo, styled?: Promise<void>): Promise<void> {
    put({ info, ui: "loading", failure: undefined, hosted: undefined });
    const wanted = () => find(info.id)?.info === info;
    try {
      const ui = await loadPluginUi(info, attempts.get(info.id) ?? 0);
      await styled;
      if (!wanted()) return;
      const hosted = createHostedUi(info.id, ui, app, (error) =>
        kit.report(error, info.id),
      );
      put({ info, ui: "ready", failure: undefined, hosted });
      for (const route of hosted.routes) router?.addRoute(route);
    } catch (thrown) {
      if (!wanted()) return;
      removeStyles(info.id);
      put({
        info,
        ui: "failed",
        failure: describeFailure(thrown),
        hosted: undefined,
      });
      kit.report(thrown, info.id);
    }
  }

  async function take(list: readonly PluginInfo[]): Promise<void> {
    const before = plugins.value;
    const kept = (info: PluginInfo) => {
      const old = before.find((plugin) => plugin.info.id === info.id);
      return old && usable(old.info) === usable(info) ? old : undefined;
    };
    for (const plugin of before) {
      const info = list.find(({ id }) => id === plugin.info.id);
      if (!info || !kept(info)) unmount(plugin);
    }
    plugins.value = list.flatMap((info) => {
      const old = kept(info);
      return old && usable(info)
        ? { ...old, info: isPending(old) ? old.info : info }
        : [];
    });
    const changed = list.filter((info) => !kept(info));
    for (const info of list) {
      if (!usable(info))
        put({ info, ui: "none", failure: undefined, hosted: undefined });
    }
    fillSlots();
    // At the start the document brings the classes of all plugins.
    const styled =
      router && changed.length > 0 ? refreshUtilities() : undefined;
    await Promise.allSettled(
      changed.filter(usable).map((info) => load(info, styled)),
    );
    await settle();
  }

  return {
    plugins,
    navigation: computed(() =>
      byOrder(ready.value.flatMap(({ navigation }) => navigation)),
    ),
    firstSteps: computed(() =>
      byOrder(ready.value.flatMap(({ firstSteps }) => firstSteps)),
    ),
    commands: computed(() =>
      plugins.value.flatMap(({ info, hosted }) =>
        (hosted?.ui.commands ?? []).map((command) => ({
          ...command,
          plugin: info.id,
        })),
      ),
    ),
    searches: computed(() =>
      plugins.value.flatMap(({ info, hosted }) =>
        hosted?.ui.search
          ? [{ plugin: info.id, search: hosted.ui.search }]
          : [],
      ),
    ),
    take,
    routes: () => ready.value.flatMap(({ routes }) => routes),
    attach: (created) => {
      router = created;
      // Those that were loaded since the router asked for its routes.
      for (const route of ready.value.flatMap(({ routes }) => routes)) {
        if (route.name !== undefined && !created.hasRoute(route.name))
          created.addRoute(route);
      }
    },
    async retry(id) {
      const plugin = find(id);
      if (!plugin || !usable(plugin.info)) return;
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      unmount(plugin);
      await load({ ...plugin.info });
      await settle();
    },
  };
}

/** Address of the UI of a plugin that has one and is active. */
function usable(info: PluginInfo): string | undefined {
  return info.state === "active" ? (info.ui?.entry ?? undefined) : undefined;
}

/** Whether the UI of a plugin is on its way. */
function isPending({ ui }: HostedPlugin): boolean {
  return ui === "loading" || ui === "late";
}

/** Whether something that never rejects is done in time. */
function isDoneWithin(work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function byOrder<Item extends { order: number }>(
  items: readonly Item[],
): readonly Item[] {
  return items.toSorted((one, other) => one.order - other.order);
}
