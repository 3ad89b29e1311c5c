import { basename, join } from "node:path";
import { keyPart } from "@gantry/plugin";
import type { EventRecord, StoreOperation } from "@gantry/plugin";
import type { Home } from "@gantry/system/home/home";
import type { Quarantine } from "@gantry/store/quarantine";
import { scanPages } from "@gantry/store/scan-pages";
import type { StoreCore } from "@gantry/store/store-core";
import { removeFolder } from "@gantry/system/home/remove-folder";
import { isPluginId, isReservedId } from "@gantry/system/plugin-id";
import type { PluginStatus } from "./plugin-status.ts";

/** Which folder's plugin stores under an id: it is known only while its code can be loaded. */
const OWNER_PREFIX = "kernel:plugin-owner:";

interface Owner {
  /** Name of the folder in `plugins` of the home. */
  folder: string;
}

/** The id under which a plugin stores, `undefined` while its code is not loaded or was refused. */
const activeId = ({ id, definition }: PluginStatus) =>
  definition?.id === id ? id : undefined;

/** What plugins of the home stored, each under its id. */
export type PluginData = ReturnType<typeof createPluginData>;

/** Keeps track of which data belongs to which plugin. */
export function createPluginData({
  core,
  quarantine,
  home,
}: {
  core: StoreCore;
  quarantine: Pick<Quarantine, "deleteOf">;
  home: Home;
}) {
  const { engine } = core;
  const ownerOf = async (id: string) =>
    (await engine.get(OWNER_PREFIX + id)) as Owner | undefined;

  async function idsOf(
    plugin: PluginStatus,
    others: readonly PluginStatus[],
  ): Promise<string[]> {
    const folder = basename(plugin.folder ?? "");
    const ids = new Set([activeId(plugin) ?? []].flat());
    for (const key of await engine.keys(OWNER_PREFIX)) {
      const id = key.slice(OWNER_PREFIX.length);
      if ((await ownerOf(id))?.folder === folder) ids.add(id);
    }
    const used = new Set(others.map(activeId));
    return [...ids].filter(
      (id) => isPluginId(id) && !isReservedId(id) && !used.has(id),
    );
  }

  /** Keys of a plugin's records and of its collections, of its positions in the log, and of its events. */
  async function keysOf(id: string): Promise<string[]> {
    const prefixes = [
      `${id}:`,
      `kernel:collection:${id}:`,
      `kernel:cursor:${keyPart(id)}:`,
    ];
    const keys = await Promise.all(prefixes.map((each) => engine.keys(each)));
    const events: string[] = [];
    for await (const page of scanPages(engine, "kernel:event:"))
      for (const { key, value } of page)
        if ((value as Partial<EventRecord>).plugin === id) events.push(key);
    return [...keys.flat(), ...events, OWNER_PREFIX + id];
  }

  return {
    /** Records the ids under which the plugins of the home store, since the id of one that cannot be loaded is not known. */
    async claim(plugins: readonly PluginStatus[]): Promise<void> {
      const operations: StoreOperation[] = [];
      for (const plugin of plugins) {
        const id = activeId(plugin);
        if (id === undefined || plugin.origin !== "home" || !plugin.folder)
          continue;
        const folder = basename(plugin.folder);
        if ((await ownerOf(id))?.folder !== folder)
          operations.push({
            type: "set",
            key: OWNER_PREFIX + id,
            value: { folder } satisfies Owner,
          });
      }
      await core.commit("kernel", operations);
    },
    /**
     * Removes what a plugin stored: its records with their copies in quarantine, its positions in the event log, its
     * events and its files. What belongs to the kernel or to another plugin is left alone, whatever the plugin calls
     * itself.
     *
     * @param others All other plugins.
     * @returns whether anything is known to be its own
     */
    async remove(
      plugin: PluginStatus,
      others: readonly PluginStatus[],
    ): Promise<boolean> {
      const ids = await idsOf(plugin, others);
      for (const id of ids) {
        const keys = await keysOf(id);
        const removals = keys.map((key) => ({ type: "remove", key }) as const);
        await core.commit("kernel", removals, [], id);
        await quarantine.deleteOf(id);
        await removeFolder(join(home.data, id));
      }
      return ids.length > 0;
    },
  };
}
