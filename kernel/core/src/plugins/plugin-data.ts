import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { keyPart } from "@gantry/plugin";
import type { EventRecord, StoreOperation } from "@gantry/plugin";
import type { Home } from "@gantry/system/home/home";
import type { Quarantine } from "@gantry/store/quarantine";
import type { StoreCore } from "@gantry/store/store-core";
import { isPluginId, isReservedId } from "@gantry/store/plugin-id";
import { scanPages } from "@gantry/store/scan-pages";
import { pluginFolders } from "./plugin-folders.ts";
import type { PluginStatus } from "./plugin-status.ts";

/** Keys that map the id of a plugin to its folder. Without them the id is known only while the code can be loaded. */
const OWNER_PREFIX = "kernel:plugin-owner:";

interface Owner {
  /** Name of the folder in `plugins` of the home. */
  folder: string;
}

/** The stored data of added plugins, by their ids. */
export interface PluginData {
  /** Stores the ids of the added plugins, since the id of a plugin that cannot be loaded is not known. */
  claim(plugins: readonly PluginStatus[]): Promise<void>;
  /**
   * Removes the data of a plugin: its records with their copies in quarantine, its positions in the event log, its
   * events and its files. Data of the kernel or of another plugin is never removed, even if the plugin has its id.
   *
   * @param others All other plugins.
   * @returns whether the plugin owned any data
   */
  remove(
    plugin: PluginStatus,
    others: readonly PluginStatus[],
  ): Promise<boolean>;
}

/** The id under which a plugin stores its data, `undefined` while its code is not loaded or was refused. */
const activeId = ({ id, definition }: PluginStatus) =>
  definition?.id === id ? id : undefined;

/** Keeps track of which data belongs to which plugin. */
export function createPluginData({
  core,
  quarantine,
  home,
}: {
  core: StoreCore;
  quarantine: Pick<Quarantine, "deleteOf">;
  home: Home;
}): PluginData {
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

  /** Lists the keys of a plugin's records, collections, positions in the event log, and events. */
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
    async claim(plugins) {
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
    async remove(plugin, others) {
      const ids = await idsOf(plugin, others);
      for (const id of ids) {
        const keys = await keysOf(id);
        await engine.commit(keys.map((key) => ({ type: "remove", key })));
        await quarantine.deleteOf(id);
        for (const folder of Object.values(pluginFolders(home, id)))
          await rm(folder, { recursive: true, force: true });
      }
      return ids.length > 0;
    },
  };
}
