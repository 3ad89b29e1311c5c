import type { Dirent } from "node:fs";
import { chmod, lstat, readdir, readlink } from "node:fs/promises";
import { join, sep } from "node:path";
import { isLinkWithin } from "@gantry/plugin";
import { flush } from "@gantry/plugin/files";
import { isPluginId, isReservedId } from "@gantry/system/plugin-id";

/** Files of the home that a stage may bring. */
const HOME_FILES: readonly string[] = [
  "config.json",
  "token",
  "certificate.json",
];

/** Names before the path of a plugin's file: `data`, and the plugin. */
const PLUGIN_DEPTH = 2;

/** What a stage brings. */
export interface StageContent {
  /** Whether it has a folder `store`. */
  hasStore: boolean;
  namespaces: string[];
  /** Ids of the plugins whose folders it has. */
  plugins: string[];
  /** Files of the plugins, and links, relative to the stage. */
  files: string[];
  /** Folders of the plugins in which nothing is, relative to the stage. */
  emptyFolders: string[];
  /** Files of the home. */
  homeFiles: string[];
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
 * Checks a stage, closes it to other users and flushes its files to the disk. The lines of the store are not read.
 *
 * @param home Folder of the home that it is a stage of.
 * @throws TypeError for anything that a stage does not have: links that lead out of a plugin's folder, files with a second name
 *   elsewhere, names that are no plugin's
 */
export async function checkStage(
  stage: string,
  signal: AbortSignal,
  home: string,
): Promise<StageContent> {
  const place = { stage, home };
  const content: StageContent = {
    hasStore: false,
    namespaces: [],
    plugins: [],
    files: [],
    emptyFolders: [],
    homeFiles: [],
  };
  for (const entry of await listFolder(stage, "")) {
    const { name } = entry;
    if (name === "store" && entry.isDirectory()) {
      content.hasStore = true;
      content.namespaces = await checkStore(place);
    } else if (name === "data" && entry.isDirectory()) {
      content.plugins = await checkData(stage);
      for (const plugin of content.plugins)
        await checkFiles(place, join("data", plugin), content, signal);
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
  found: Pick<StageContent, "files" | "emptyFolders">,
  signal: AbortSignal,
): Promise<void> {
  const entries = await listFolder(place.stage, folder);
  for (const entry of entries) {
    signal.throwIfAborted();
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await checkFiles(place, path, found, signal);
    else {
      if (entry.isSymbolicLink()) await checkLink(place, path);
      else await checkFile(place, path);
      found.files.push(path);
    }
  }
  if (entries.length === 0) found.emptyFolders.push(folder);
  await flush(join(place.stage, folder));
}

async function checkFile(
  { stage, home }: StagePlace,
  path: string,
): Promise<void> {
  const stats = await lstat(join(stage, path));
  const own = await lstat(join(home, path)).catch(() => undefined);
  // What stays as it is may be staged as a second name of itself: a pipe, or a file that has other names elsewhere, is then no more
  // than it was before.
  if (own?.ino === stats.ino && own.dev === stats.dev) return;
  if (!stats.isFile()) throw new TypeError(`${path} is not a file.`);
  // It would change under both names.
  if (stats.nlink > 1)
    throw new TypeError(`${path} is linked to from elsewhere; stage a copy.`);
  await flush(join(stage, path));
}

/** A link of a plugin leads to something in its folder, or is there already. */
async function checkLink(
  { stage, home }: StagePlace,
  path: string,
): Promise<void> {
  const target = await readlink(join(stage, path));
  const within = path.split(sep).slice(PLUGIN_DEPTH).join("/");
  if (isLinkWithin(within, target)) return;
  const own = await readlink(join(home, path)).catch(() => undefined);
  if (own !== target)
    throw new TypeError(`${path} is a link that leads out of its folder.`);
}

async function listFolder(stage: string, folder: string): Promise<Dirent[]> {
  const entries = await readdir(join(stage, folder), { withFileTypes: true });
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}
