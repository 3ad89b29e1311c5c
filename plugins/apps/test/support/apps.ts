import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type {
  TestAnswer,
  TestKernel,
  TestKernelOptions,
} from "@gantry/plugin-testing";
import { AppRegistry } from "../../src/contract.ts";
import type { App, AppView } from "../../src/contract.ts";
import apps from "../../src/index.ts";

export { apps };

/** An app with one page, whose members a test may change. */
export function makeApp(fields: Partial<App> = {}): App {
  return {
    id: "notes",
    name: "Notes",
    icon: "i-lucide-notebook",
    summary: "Short notes.",
    view: () => Promise.resolve(makeView()),
    ...fields,
  };
}

export function makeView(fields: Partial<AppView> = {}): AppView {
  return { title: "Notes", blocks: [], ...fields };
}

/** A plugin that adds apps the way that any plugin does. */
export function makeAuthor(
  id: string,
  list: readonly App[],
  onError?: (error: unknown) => void,
): PluginDefinition {
  return definePlugin({
    id,
    api: 1,
    summary: "Adds apps",
    mounts: [],
    wants: { apps: AppRegistry },
    setup(ctx) {
      ctx.whenThere(AppRegistry, async (registry, gone) => {
        for (const app of list)
          await registry.add(app, gone).catch((error: unknown) => {
            if (!onError) throw error;
            onError(error);
          });
      });
    },
  });
}

/** A kernel with the apps of one plugin, and shorter ways to what tests do most. */
export interface TestApps extends TestKernel {
  view(id: string, path?: string): Promise<TestAnswer<AppView>>;
  act(
    id: string,
    action: string,
    args?: Record<string, unknown>,
  ): Promise<TestAnswer>;
}

/** Settings without the built-in apps, so that a test sees its own alone. */
export const NO_BUILT_IN = { apps: { builtIn: [] } };

/** Starts a kernel with the apps of these plugins and no others. */
export const startAlone = (
  plugins: readonly PluginDefinition[],
): Promise<TestKernel> =>
  startTestKernel([apps, ...plugins], { settings: NO_BUILT_IN });

/** Starts a kernel with apps of the plugin `author` and no others. */
export async function startApps(
  list: readonly App[] = [makeApp()],
  {
    beside = [],
    ...options
  }: TestKernelOptions & { beside?: readonly PluginDefinition[] } = {},
): Promise<TestApps> {
  const author = makeAuthor("author", list);
  const kernel = await startTestKernel([...beside, apps, author], {
    settings: NO_BUILT_IN,
    ...options,
  });
  return Object.assign(Object.create(kernel) as TestKernel, {
    view: (id: string, path?: string) =>
      kernel.api.get<AppView>(`/api/apps/${id}/view`, { path }),
    act: (id: string, action: string, args?: Record<string, unknown>) =>
      kernel.api.post(`/api/apps/${id}/action`, { action, args }),
  });
}
