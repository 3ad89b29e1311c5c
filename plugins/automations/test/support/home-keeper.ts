import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition, StoreEntry, WholeHome } from "@gantry/plugin";

/** What a store held, by namespace. */
export type StoreCopy = Readonly<Record<string, readonly StoreEntry[]>>;

/** Copies the store of a test kernel and puts copies in place, as a backup does. */
export interface HomeKeeper {
  readonly plugin: PluginDefinition;
  copy(): Promise<StoreCopy>;
  /**
   * Resolves when the copy is in place, or the daemon is about to restart for it.
   *
   * @param only The namespace whose records are merged; all of the store is replaced without.
   */
  restore(copy: StoreCopy, only?: string): Promise<void>;
}

export function createHomeKeeper(): HomeKeeper {
  let home: WholeHome | undefined;
  return {
    plugin: definePlugin({
      id: "keeper",
      api: 1,
      summary: "Copies the home",
      mounts: ["/api/keeper"],
      setup(ctx) {
        home = ctx.wholeHome;
      },
    }),
    async copy() {
      const store: Record<string, StoreEntry[]> = {};
      const image = await home!.readStore(new AbortController().signal);
      for await (const { name, entries } of image.namespaces)
        for await (const page of entries) (store[name] ??= []).push(...page);
      await image.close();
      return store;
    },
    async restore(copy, only) {
      const stage = await home!.stage();
      await mkdir(join(stage, "store"));
      for (const [name, entries] of Object.entries(copy)) {
        if (only !== undefined && name !== only) continue;
        const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
        await writeFile(join(stage, "store", `${name}.ndjson`), lines.join(""));
      }
      const mode = only === undefined ? "replace" : "merge";
      await home!.replace({ stage, mode, keepsSessions: true, note: {} });
    },
  };
}
