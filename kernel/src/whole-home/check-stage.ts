import type { Dirent } from "node:fs";
import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { flush } from "@gantry/plugin/files";
import { isPluginId, isReservedId } from "../plugins/definition.ts";

/** Files of the home that a stage may bring. */
export const HOME_FILES: readonly string[] = [
  "config.json",
  "token",
  "certificate.json",
];

/** What a stage brings. */
export interface StageContent {
  /** Whether it has a folder `store`. */
  readonly hasStore: boolean;
  readonly namespaces: readonly string[];
  /** Ids of the plugins whose folders it has. */
  readonly plugins: readonly string[];
  /** Files of the plugins, relative to the stage. */
  readonly files: readonly string[];
  /** Files of the home. */
  readonly homeFiles: readonly string[];
}

/** A stage and the home that it is for. */
interface StagePlace {
  stage: string;
  home: string;
}

/** The file of a namespace in a stage. */
export const linesFile = (stage: string, namespace: string) =>
  join(stage, "store", `${namespace}.ndjson`);

/**
 * Looks through a stage, closes it to other users and brings its files to the disk. The lines of the store are not read.
 *
 * @param home Folder of the home that it is a stage of.
 * @throws TypeError for anything that a stage does not have: links, files with a second name elsewhere, names that are no
 *   plugin's
 */
export async function checkStage(
  stage: string,
  signal: AbortSignal,
  home: string,
): Promise<StageContent> {
  const place = { stage, home };
  const content = {
    hasStore: false,
    namespaces: [] as string[],
    plugins: [] as string[],
    files: [] as string[],
    homeFiles: [] as string[],
  };
  for (const entry of await listFolder(stage, "")) {
    const { name } = entry;
    if (name === "store" && entry.isDirectory()) {
      content.hasStore = true;
      content.namespaces = await checkStore(place);
    } else if (name === "data" && entry.isDirectory()) {
      content.plugins = await checkData(stage);
      for (const plugin of content.plugins)
        await checkFiles(place, join("data", plugin), content.files, signal);
    } else if (HOME_FILES.includes(name)) {
      await checkFile(place, name);
      await chmod(join(stage, name), 0o600);
      content.homeFiles.push(name);
    } else throw new TypeError(`A stage has no "${name}".`);
  }
  await flush(stage);
  return content;
}

async function checkStore(place: StagePlace): Promise<string[]> {
  const namespaces: string[] = [];
  for (const { name } of await listFolder(place.stage, "store")) {
    const [, namespace = ""] = /^(.+)\.ndjson$/.exec(name) ?? [];
    if (!isPluginId(namespace))
      throw new TypeError(`store/${name} is not the file of a namespace.`);
    await checkFile(place, join("store", name));
    namespaces.push(namespace);
  }
  return namespaces.sort();
}

async function checkData(stage: string): Promise<string[]> {
  const plugins: string[] = [];
  for (const entry of await listFolder(stage, "data")) {
    if (
      !entry.isDirectory() ||
      !isPluginId(entry.name) ||
      isReservedId(entry.name)
    )
      throw new TypeError(`data/${entry.name} is not the folder of a plugin.`);
    await chmod(join(stage, "data", entry.name), 0o700);
    plugins.push(entry.name);
  }
  await flush(join(stage, "data"));
  return plugins.sort();
}

async function checkFiles(
  place: StagePlace,
  folder: string,
  found: string[],
  signal: AbortSignal,
): Promise<void> {
  for (const entry of await listFolder(place.stage, folder)) {
    signal.throwIfAborted();
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await checkFiles(place, path, found, signal);
    else {
      await checkFile(place, path);
      found.push(path);
    }
  }
  await flush(join(place.stage, folder));
}

async function checkFile(
  { stage, home }: StagePlace,
  path: string,
): Promise<void> {
  const stats = await lstat(join(stage, path));
  if (!stats.isFile()) throw new TypeError(`${path} is not a file.`);
  if (stats.nlink > 1) {
    // A file that stays as it is may be staged as a second name of itself. Whatever else has two names would change under both.
    const own = await lstat(join(home, path)).catch(() => undefined);
    const isOwn = own?.ino === stats.ino && own.dev === stats.dev;
    if (!isOwn || stats.nlink > 2)
      throw new TypeError(`${path} is linked to from elsewhere; stage a copy.`);
  }
  await flush(join(stage, path));
}

async function listFolder(stage: string, folder: string): Promise<Dirent[]> {
  const entries = await readdir(join(stage, folder), { withFileTypes: true });
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}
