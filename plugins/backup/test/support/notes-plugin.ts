import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  definePlugin,
  type Collection,
  type PluginContext,
  type PluginDefinition,
} from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

const note = z.object({ ...storedFields, title: z.string() });
type Note = z.infer<typeof note>;

/** A plugin with records and files, in the hands of a test. */
export interface NotesPlugin {
  plugin: PluginDefinition;
  /** What its setup does first; it may throw. */
  onSetup: (ctx: PluginContext) => void | Promise<void>;
  add(id: string, title: string): Promise<void>;
  rename(id: string, title: string): Promise<void>;
  remove(id: string): Promise<void>;
  has(id: string): Promise<boolean>;
  /** Titles by ids, in the order of ids. */
  titles(): Promise<Record<string, string>>;
  write(path: string, content: string): Promise<void>;
  read(path: string): Promise<string | undefined>;
}

export function createNotesPlugin(): NotesPlugin {
  let home: string | undefined;
  let context: PluginContext | undefined;
  let notes: Collection<Note> | undefined;
  const pathOf = async (path: string) => join(await context!.folder(), path);
  const own: NotesPlugin = {
    onSetup: () => {},
    plugin: definePlugin({
      id: "notes",
      api: 1,
      summary: "Notes of a test",
      mounts: [],
      async setup(ctx) {
        await own.onSetup(ctx);
        const collection = ctx.store.collection<Note>({
          name: "note",
          version: 1,
          schema: note,
          indexes: { title: ({ title }) => [title] },
        });
        // The test is about the daemon, not about one that only tries a start on a copy.
        home ??= ctx.home;
        if (ctx.home !== home) return;
        context = ctx;
        notes = collection;
      },
    }),
    add: async (id, title) => void (await notes!.insert({ id, title })),
    async rename(id, title) {
      await notes!.update(id, (record) => ({ record: { ...record, title } }));
    },
    remove: async (id) => void (await notes!.remove(id)),
    has: async (id) => (await notes!.get(id)) !== undefined,
    async titles() {
      const { items } = await notes!.list({ index: "title", limit: 500 });
      const titles = items.map(({ id, title }) => [id, title] as const);
      return Object.fromEntries(titles.sort());
    },
    async write(path, content) {
      const file = await pathOf(path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    },
    read: async (path) =>
      await readFile(await pathOf(path), "utf8").catch(() => undefined),
  };
  return own;
}
