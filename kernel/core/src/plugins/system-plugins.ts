import type { PluginDefinition } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import { createPluginContext } from "./context.ts";
import type { ContextHost } from "./context.ts";
import { loadDefinition } from "./definition.ts";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import { createScope } from "./scope.ts";
import type { Scope } from "./scope.ts";

/** The plugins that are a part of the daemon itself. */
export type SystemPlugins = ReturnType<typeof createSystemPlugins>;

/**
 * Creates the host of system plugins. They use the same contract as all others, but may take any address and have public
 * pages. They have no settings and are in no list of plugins, so no command stops them.
 */
export function createSystemPlugins(context: ContextHost) {
  const scopes: Scope[] = [];

  async function start(
    name: string,
    load: () => PluginDefinition | Promise<PluginDefinition>,
  ): Promise<void> {
    try {
      const definition = await load();
      const { id } = definition;
      const scope = createScope(id, context.logOf(id));
      scopes.unshift(scope);
      await runInContext({ plugin: id }, async () =>
        definition.setup(
          createPluginContext(context, definition, undefined, scope, true),
        ),
      );
    } catch (error) {
      context.logOf(name).error("Start failed", {}, error);
    }
  }

  return {
    /** Starts those whose code is loaded already and those in packages. One that cannot be started is missing, which is logged. */
    async start(
      definitions: readonly PluginDefinition[],
      packages: readonly PluginPackage[],
    ): Promise<void> {
      for (const definition of definitions)
        await start(definition.id, () => definition);
      for (const plugin of packages)
        await start(plugin.name, () => loadDefinition(plugin));
    },
    async stop(deadline?: Deadline): Promise<void> {
      for (const scope of scopes) await scope.end(deadline);
    },
  };
}
