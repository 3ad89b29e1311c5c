import type { PluginDefinition } from "@gantry/plugin";
import { checkDefinition } from "./definition.ts";
import { isReservedId } from "@gantry/system/plugin-id";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import type { PluginEntry, PluginStatus } from "./plugin-status.ts";

/** All plugins that are known, running or not. */
export type PluginRegister = ReturnType<typeof createPluginRegister>;

/** Makes an empty register. */
export function createPluginRegister() {
  const entries = new Map<string, PluginEntry>();
  const list = () => [...entries.values()];

  /**
   * Adds what is known of a plugin, which is little for one whose code was not loaded. Takes the place of no other, nor
   * an id of the kernel's own.
   */
  function add(
    wanted: string,
    known: Partial<PluginStatus> & Pick<PluginStatus, "state">,
    plugin?: PluginPackage,
  ): void {
    let id = wanted;
    for (let number = 2; entries.has(id) || isReservedId(id); number++)
      id = `${wanted}@${number}`;
    entries.set(id, {
      id,
      summary: "",
      version: plugin?.version ?? "0.0.0",
      origin: plugin?.origin ?? "builtin",
      reason: null,
      faults: 0,
      folder: plugin?.folder,
      package: plugin,
      definition: undefined,
      scope: undefined,
      ...known,
    });
  }

  return {
    list,
    add,
    get: (id: string) => entries.get(id),
    /** By its id, or by the name of its package or folder, which is all that is known of one whose code is just loading. */
    find: (name: string) =>
      entries.get(name) ??
      list().find(
        ({ package: plugin }) =>
          plugin?.name === name || plugin?.packageName === name,
      ),
    delete: (id: string) => void entries.delete(id),
    /** Adds a plugin with its code. One that does not fit beside the others is added as `failed`. */
    addDefinition(definition: PluginDefinition, plugin?: PluginPackage): void {
      const { id, summary } = definition;
      try {
        if (entries.has(id))
          throw new Error(`another plugin has the id "${id}"`);
        checkDefinition(
          definition,
          list().flatMap((entry) => entry.definition ?? []),
        );
        add(id, { summary, state: "waiting", definition }, plugin);
      } catch (error) {
        const reason = (error as Error).message;
        add(id, { summary, state: "failed", reason }, plugin);
      }
    },
  };
}
