import type { PluginDefinition } from "@gantry/plugin";
import { isReservedId } from "@gantry/store/plugin-id";
import { checkDefinition } from "./definition.ts";
import type { PluginPackage } from "./manifest.ts";
import type { PluginEntry, PluginStatus } from "./plugin-status.ts";

/** All known plugins, running or not. */
export interface PluginRegister {
  list(): PluginEntry[];
  /** Definitions of the plugins whose code is loaded. */
  definitions(): PluginDefinition[];
  get(id: string): PluginEntry | undefined;
  /** Finds a plugin by its id, or by its package or folder: the id is unknown while the code is loading. */
  find(name: string): PluginEntry | undefined;
  /**
   * Adds a plugin whose code was not loaded, under a name. If the name is taken or reserved, a number is appended to it.
   */
  add(
    id: string,
    known: Partial<PluginStatus> & Pick<PluginStatus, "state">,
    plugin?: PluginPackage,
  ): void;
  /** Adds a plugin with its definition. One that conflicts with another plugin is added as `failed`. */
  addDefinition(definition: PluginDefinition, plugin?: PluginPackage): void;
  delete(id: string): void;
}

/** Creates an empty register. */
export function createPluginRegister(): PluginRegister {
  const entries = new Map<string, PluginEntry>();
  const list = () => [...entries.values()];

  const definitions = () => list().flatMap((entry) => entry.definition ?? []);

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
      folder: plugin?.folder,
      package: plugin,
      definition: undefined,
      scope: undefined,
      ...known,
    });
  }

  return {
    list,
    definitions,
    add,
    get: (id) => entries.get(id),
    find: (name) =>
      entries.get(name) ??
      list().find(
        ({ package: plugin }) =>
          plugin?.name === name || plugin?.packageName === name,
      ),
    delete: (id) => void entries.delete(id),
    addDefinition(definition, plugin) {
      const { id, summary } = definition;
      try {
        if (entries.has(id))
          throw new Error(`another plugin has the id "${id}"`);
        checkDefinition(definition, definitions(), plugin?.origin ?? "builtin");
        add(id, { summary, state: "waiting", definition }, plugin);
      } catch (error) {
        const reason = (error as Error).message;
        add(id, { summary, state: "failed", reason }, plugin);
      }
    },
  };
}
