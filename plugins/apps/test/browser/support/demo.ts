import { defineErrors, defineEvent, definePlugin } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { AppRegistry } from "../../../src/contract.ts";
import type {
  App,
  AppAction,
  AppActionResult,
  AppBadge,
  AppView,
} from "../../../src/contract.ts";

const errors = defineErrors({
  DEMO_REFUSED: {
    status: 409,
    title: "The demo refused",
    detail: "{reason}",
  },
});
export const DemoChanged = defineEvent<object>(
  "demo.thing-changed",
  "Something that a page of the demo shows has changed.",
);

/** A plugin with an app whose pages and answers a test sets. */
export interface Demo {
  plugin: PluginDefinition;
  /** What was asked for, in order. */
  readonly acted: AppAction[];
  /** How often a page was asked for. */
  asked(path: string): number;
  /** Sets a page; the function gets how often it was requested before. */
  show(path: string, view: (asked: number) => AppView | Promise<AppView>): void;
  /** Sets what comes of an action. */
  on(
    action: string,
    act: (input: AppAction) => AppActionResult | Promise<AppActionResult>,
  ): void;
  badge: AppBadge | null;
  /** Tells that something changed. */
  emit(): Promise<void>;
}

/** An error in the words of the demo. */
export const refuse = (reason: string) => errors.DEMO_REFUSED({ reason });

export function createDemo(): Demo {
  const pages = new Map<
    string,
    (asked: number) => AppView | Promise<AppView>
  >();
  const actions = new Map<
    string,
    (input: AppAction) => AppActionResult | Promise<AppActionResult>
  >();
  const counts = new Map<string, number>();
  const acted: AppAction[] = [];
  let emit: (() => Promise<void>) | undefined;

  const app: App = {
    id: "demo",
    name: "Demo",
    icon: "i-lucide-flask-conical",
    summary: "Every block that there is.",
    badge: async () => demo.badge,
    async view({ path }) {
      const page = pages.get(path);
      if (!page) throw refuse(`There is no page ${path}.`);
      const count = counts.get(path) ?? 0;
      counts.set(path, count + 1);
      return page(count);
    },
    async action(input) {
      acted.push(input);
      const act = actions.get(input.action);
      if (!act) throw refuse(`There is no action ${input.action}.`);
      return act(input);
    },
  };

  const demo: Demo = {
    acted,
    badge: null,
    asked: (path) => counts.get(path) ?? 0,
    show: (path, view) => void pages.set(path, view),
    on: (action, act) => void actions.set(action, act),
    emit: async () => emit?.(),
    plugin: definePlugin({
      id: "demo",
      api: 1,
      summary: "An app for tests",
      mounts: [],
      wants: { apps: AppRegistry },
      events: [DemoChanged],
      errors,
      setup(ctx) {
        emit = () => ctx.emit(DemoChanged.of("thing", {}));
        ctx.onService(AppRegistry, async (registry, gone) => {
          await registry.add(app, gone);
          await registry.add(
            {
              id: "broken-app",
              name: "Broken",
              icon: "i-lucide-bug",
              summary: "An app that always fails.",
              view: () => Promise.reject(new Error("it is broken")),
            },
            gone,
          );
        });
      },
    }),
  };
  return demo;
}
