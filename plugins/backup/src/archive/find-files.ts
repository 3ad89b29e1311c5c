import { constants, lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { BigIntStats } from "node:fs";
import { isLinkWithin } from "@gantry/plugin";
import { fromDiskName, toDiskPath } from "./disk-path.ts";
import type { ListedFolder, ListedLink } from "./file-list.ts";
import { SeenPaths, whyUnsafe } from "./file-path.ts";
import { MAX_TARGET_LENGTH } from "./limits.ts";
import { codeOf } from "./refusals.ts";

/** Files that are looked at at the same time. */
const CONCURRENCY = 32;

/** A file of a plugin that is to be copied. */
export interface FoundFile {
  plugin: string;
  path: string;
  size: number;
  /** Room that it takes on the disk: less than its size if it has holes; its size if the disk does not say. */
  allocatedBytes: number;
  mode: number;
  /** Changes with the file. */
  stamp: string;
  /** When it was last changed, as far as its time tells. */
  changedMs: number;
}

/** A file, link or folder that is not copied. */
export interface LeftOut {
  /** Relative to the folder of all plugins, as `fromDiskName` writes names that are not UTF-8. */
  path: string;
  reason: string;
}

/** What to look for. */
export interface FindOptions {
  /** Holds a folder for each plugin. */
  data: string;
  /** Whether a folder of a plugin is left alone, without a note. */
  isSkipped(plugin: string, folder: string): boolean;
  signal: AbortSignal;
}

/** What was found, in the order of plugins and names. */
export interface FoundFiles {
  files: FoundFile[];
  links: ListedLink[];
  /** Those that are empty, or have other permissions than 0700. */
  folders: (ListedFolder & { isEmpty: boolean })[];
  leftOut: LeftOut[];
}

const TO_TRY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Of the blocks that `stat` counts, on every system. */
const BLOCK_BYTES = 512;

/** Permissions of a folder that need not be listed. */
const USUAL_FOLDER = 0o700;

/** Tells a file from a changed one. */
export function stampOf(stats: BigIntStats): string {
  return [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(":");
}

/**
 * Finds what the plugins have. Links are not followed; those that lead out of the plugin's folder are left out, as is what is
 * neither file, link nor folder.
 */
export async function findFiles(options: FindOptions): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], links: [], folders: [], leftOut: [] };
  const seen = new SeenPaths();
  const plugins = await readNames(options.data);
  for (const { name, isFolder } of plugins) {
    if (options.isSkipped(name, "")) continue;
    if (isFolder && /^[a-z][a-z0-9-]{0,39}$/.test(name))
      await search({ ...options, found, seen, plugin: name }, "");
    else leaveOut(found, name, "it is no folder of a plugin");
  }
  // Some file systems count no blocks, so that nothing is known.
  if (found.files.every(({ allocatedBytes }) => allocatedBytes === 0))
    for (const file of found.files) file.allocatedBytes = file.size;
  return found;
}

interface Search extends FindOptions {
  found: FoundFiles;
  seen: SeenPaths;
  plugin: string;
}

async function search(context: Search, folder: string): Promise<void> {
  const { data, found, isSkipped, plugin, signal } = context;
  signal.throwIfAborted();
  const path = (name: string) => (folder ? `${folder}/${name}` : name);
  let names: Name[];
  try {
    names = await readNames(join(data, plugin, folder));
    if (folder) await addFolder(context, folder, names.length === 0);
  } catch (error) {
    return leaveOut(found, `${plugin}/${folder}`, whyUnread(error));
  }
  for (let at = 0; at < names.length; at += CONCURRENCY) {
    const some = names.slice(at, at + CONCURRENCY);
    const entries = await Promise.all(
      some.map(async ({ name, isFolder }) =>
        isFolder
          ? undefined
          : await toFound(data, plugin, path(name)).catch(whyUnread),
      ),
    );
    for (const [index, { name, isFolder }] of some.entries()) {
      if (!isFolder) add(context, path(name), entries[index]);
      else if (!isSkipped(plugin, path(name)))
        await search(context, path(name));
    }
  }
}

async function addFolder(
  { data, found, seen, plugin }: Search,
  path: string,
  isEmpty: boolean,
): Promise<void> {
  const place = toDiskPath(join(data, plugin, path));
  const folder = (await lstat(place)).mode & 0o777;
  if (!isEmpty && folder === USUAL_FOLDER) return;
  const reason = whyUnsafe(path) ?? seen.addFolder(plugin, path);
  if (reason === undefined)
    found.folders.push({ plugin, path, folder, isEmpty });
  // Of others, all that is in them is left out.
  else if (isEmpty) leaveOut(found, `${plugin}/${path}`, reason);
}

function add(
  { found, seen, plugin }: Search,
  path: string,
  entry: FoundFile | ListedLink | string | undefined,
): void {
  const reason =
    whyUnsafe(path) ??
    (typeof entry === "object" ? undefined : (entry ?? "it is gone")) ??
    seen.add(plugin, path);
  if (reason !== undefined) leaveOut(found, `${plugin}/${path}`, reason);
  else if (typeof entry !== "object") return;
  else if ("link" in entry) found.links.push(entry);
  else found.files.push(entry);
}

async function toFound(
  data: string,
  plugin: string,
  path: string,
): Promise<FoundFile | ListedLink | string> {
  const place = toDiskPath(join(data, plugin, path));
  const stats = await lstat(place, { bigint: true });
  if (stats.isSymbolicLink()) {
    const link = fromDiskName(await readlink(place, "buffer"));
    return whyNoLink(path, link) ?? { plugin, path, link };
  }
  if (!stats.isFile()) return "it is not a plain file";
  // Known before it is read, so that a restore knows too that no snapshot has it.
  if (mayBeUnreadable(stats)) await (await open(place, TO_TRY)).close();
  return {
    plugin,
    path,
    size: Number(stats.size),
    allocatedBytes: Number(stats.blocks) * BLOCK_BYTES,
    mode: Number(stats.mode) & 0o777,
    stamp: stampOf(stats),
    changedMs: Number(stats.mtimeMs),
  };
}

/** Whether it takes a question to the system to know that a file can be read. */
function mayBeUnreadable({ uid, mode }: BigIntStats): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return false;
  return Number(uid) !== user || (Number(mode) & 0o400) === 0;
}

function whyNoLink(path: string, target: string): string | undefined {
  if (/\p{Surrogate}|\ufffd/u.test(target) || target.length > MAX_TARGET_LENGTH)
    return "it is a link to a name that is not well-formed text";
  return isLinkWithin(path, target)
    ? undefined
    : "it is a link that leads out of its folder";
}

interface Name {
  name: string;
  isFolder: boolean;
}

async function readNames(folder: string): Promise<Name[]> {
  const names = await readdir(toDiskPath(folder), {
    withFileTypes: true,
    encoding: "buffer",
  }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  return names
    .map((entry) => ({
      name: fromDiskName(entry.name),
      isFolder: entry.isDirectory(),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Why a file or folder of the home could not be read. */
export function whyUnread(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) throw error;
  if (code === "ENOENT") return "it was removed meanwhile";
  if (code === "ELOOP") return "it is a symbolic link";
  return `it cannot be read (${code})`;
}

function leaveOut(found: FoundFiles, path: string, reason: string): void {
  found.leftOut.push({ path, reason });
}
