import type {
  FirstStep,
  NavigationBadge,
  NavigationChild,
  NavigationDefinition,
  PluginUi,
  Tone,
} from "@gantry/ui-kit";
import { toComponent, type SlotEntry } from "@gantry/ui-kit/host";
import {
  computed,
  toValue,
  type App,
  type ComputedRef,
  type EffectScope,
  effectScope,
} from "vue";
import type { RouteRecordRaw } from "vue-router";

/** An entry of the navigation with what it shows now. */
export interface LiveNavigation extends Omit<
  NavigationDefinition,
  "badge" | "children"
> {
  readonly plugin: string;
  readonly order: number;
  readonly badge: ComputedRef<NavigationBadge | undefined>;
  readonly children: ComputedRef<readonly NavigationChild[]>;
}

/** A first step with whether it is done. */
export interface LiveFirstStep extends Omit<FirstStep, "done"> {
  readonly plugin: string;
  readonly order: number;
  readonly done: ComputedRef<boolean | undefined>;
}

/** What a plugin's UI became in this app. */
export interface HostedUi {
  readonly ui: PluginUi;
  readonly routes: readonly RouteRecordRaw[];
  readonly navigation: readonly LiveNavigation[];
  readonly firstSteps: readonly LiveFirstStep[];
  readonly slots: ReadonlyMap<string, readonly SlotEntry[]>;
  /** Ends everything that it keeps running. */
  dispose(): void;
}

const defaultOrder = 100;

/** Brings a plugin's UI to life: its composables run until `dispose`. What one of them throws costs only that one. */
export function createHostedUi(
  id: string,
  ui: PluginUi,
  app: App,
  report: (error: unknown) => void,
): HostedUi {
  const scope: EffectScope = effectScope(true);

  /** Runs a composable of the plugin once and gives what it shows, `undefined` while it fails. */
  function follow<Value>(
    source: (() => unknown) | undefined,
  ): ComputedRef<Value | undefined> {
    try {
      const live = source
        ? scope.run(() => app.runWithContext(source))
        : undefined;
      // The shape is the promise of the kit's types.
      return computed(
        () => (toValue(live) as Value | null | undefined) ?? undefined,
      );
    } catch (error) {
      report(error);
      return computed(() => undefined);
    }
  }

  const slots = new Map<string, readonly SlotEntry[]>();
  for (const [name, contributions] of Object.entries(ui.slots)) {
    slots.set(
      name,
      (contributions ?? []).map((contribution, index) => ({
        ...contribution,
        key: `${id}/${index}`,
        plugin: id,
        component: toComponent(contribution.component),
        order: contribution.order ?? defaultOrder,
      })),
    );
  }

  return {
    ui,
    slots,
    routes: ui.pages.map((page) => ({
      path: `/${id}${page.path === "/" ? "" : page.path}`,
      name: `${id}/${page.name ?? page.path}`,
      component: toComponent(page.component),
      meta: {
        ...page.meta,
        plugin: id,
        title: page.title,
        keep: page.keep ?? false,
      },
    })),
    navigation: ui.navigation.map((definition) => {
      const children = follow<readonly NavigationChild[]>(definition.children);
      return {
        ...definition,
        plugin: id,
        order: definition.order ?? defaultOrder,
        badge: follow<NavigationBadge>(definition.badge),
        children: computed(() => children.value ?? []),
      };
    }),
    firstSteps: ui.firstSteps.map((step) => ({
      ...step,
      plugin: id,
      order: step.order ?? defaultOrder,
      done: follow<boolean>(step.done),
    })),
    dispose: () => scope.stop(),
  };
}

/** The most urgent of some tones, for one dot that stands for all. */
export function mostUrgent(tones: readonly (Tone | undefined)[]): Tone {
  const order: readonly Tone[] = ["attention", "failed", "active", "success"];
  return order.find((tone) => tones.includes(tone)) ?? "neutral";
}
