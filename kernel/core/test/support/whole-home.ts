import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoreEntry, StoreImage, WholeHome } from "@gantry/plugin";

/** Entries of a store, by namespace. */
export type StagedStore = Readonly<Record<string, readonly StoreEntry[]>>;

/** What a stage is made of. */
export interface StagedHome {
  store?: StagedStore;
  /** Contents by path, such as `data/lists/a.txt` or `token`. */
  files?: Readonly<Record<string, string>>;
}

/** Reads all of an image and closes it. */
export async function readAll(image: StoreImage): Promise<StagedStore> {
  const store: Record<string, StoreEntry[]> = {};
  for await (const { name, entries } of image.namespaces)
    for await (const page of entries) (store[name] ??= []).push(...page);
  await image.close();
  return store;
}

/** Reads the store of a running daemon. */
export const readHome = async (home: WholeHome): Promise<StagedStore> =>
  readAll(await home.readStore(new AbortController().signal));

/** Makes a stage. */
export async function makeStage(
  home: WholeHome,
  { store, files = {} }: StagedHome,
): Promise<string> {
  const stage = await home.stage();
  if (store) await mkdir(join(stage, "store"));
  for (const [name, entries] of Object.entries(store ?? {})) {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    await writeFile(join(stage, "store", `${name}.ndjson`), lines.join(""));
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(stage, path)), { recursive: true });
    await writeFile(join(stage, path), content);
  }
  return stage;
}

/** Stages something and has it put in place. */
export async function replaceWith(
  home: WholeHome,
  staged: StagedHome,
  {
    mode = "replace",
    keepsSessions = true,
  }: { mode?: "replace" | "merge"; keepsSessions?: boolean } = {},
): Promise<void> {
  const stage = await makeStage(home, staged);
  await home.replace({ stage, mode, keepsSessions, note: { of: "a test" } });
}
