import type { Store } from "@gantry/plugin";
import { createScopedStore } from "@gantry/store/scoped-store";
import type { PluginContextHost } from "./plugin-context-host.ts";
import type { PluginInstance } from "./plugin-instance.ts";

/** Opens the store of a plugin. A write throws `PLUGIN_STOPPED` after the stop, and a TypeError for an undeclared event. */
export function openPluginStore(
  { store }: Pick<PluginContextHost, "store">,
  { id, definition, log, scope, throwIfOver }: PluginInstance,
): Store {
  const declared = new Set(definition.events?.map(({ type }) => type));
  const { core } = store;
  return createScopedStore(id, {
    ...store,
    log,
    signal: scope.signal,
    onUpkeep: scope.followUpkeep,
    core: {
      ...core,
      async commit(writer, operations, events = []) {
        throwIfOver();
        const unknown = events.find(({ type }) => !declared.has(type));
        if (unknown && writer === id)
          throw new TypeError(
            `"${id}" emits ${unknown.type} but does not declare it in its events.`,
          );
        await core.commit(writer, operations, events);
      },
    },
  });
}
