import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { BigIntStats } from "node:fs";
import { SeenPaths, whyUnsafe } from "./file-path.ts";
import { codeOf } from "./refusals.ts";

/** Files that are looked at at the same time. */
const CONCURRENCY = 32;

/** A file of a plugin that is to be copied. */
export interface FoundFile {
  plugin: string;
  path: string;
  size: number;
  mode: number;
  /** Changes with the file. */
  stamp: string;
  /** When it was last changed, as far as its time tells. */
  changedMs: number;
}

/** A file that is not copied. */
export interface LeftOut {
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
  leftOut: LeftOut[];
}

/** Tells a file from a changed one. */
export function stampOf(stats: BigIntStats): string {
  return [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(":");
}

/** Finds the plugins' files. Links are not followed, and what is neither file nor folder is left out. */
export async function findFiles(options: FindOptions): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], leftOut: [] };
  const seen = new SeenPaths();
  const plugins = await readNames(options.data);
  for (const { name, isFolder } of plugins) {
    if (options.isSkipped(name, "")) continue;
    if (isFolder && /^[a-z][a-z0-9-]{0,39}$/.test(name))
      await search({ ...options, found, seen, plugin: name }, "");
    else leaveOut(found, name, "it is no folder of a plugin");
  }
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
  } catch (error) {
    return leaveOut(found, `${plugin}/${folder}`, whyUnread(error));
  }
  for (let at = 0; at < names.length; at += CONCURRENCY) {
    const some = names.slice(at, at + CONCURRENCY);
    const files = await Promise.all(
      some.map(async ({ name, isFolder, isFile }) => {
        if (isFolder || !isFile) return undefined;
        return await toFound(data, plugin, path(name)).catch(whyUnread);
      }),
    );
    for (const [index, { name, isFolder, isFile }] of some.entries()) {
      const file = files[index];
      if (isFolder) {
        if (!isSkipped(plugin, path(name))) await search(context, path(name));
      } else if (!isFile)
        leaveOut(found, `${plugin}/${path(name)}`, "it is not a plain file");
      else add(context, path(name), file);
    }
  }
}

function add(
  { found, seen, plugin }: Search,
  path: string,
  file: FoundFile | string | undefined,
): void {
  const reason =
    whyUnsafe(path) ??
    (typeof file === "object" ? undefined : (file ?? "it is gone")) ??
    seen.add(plugin, path);
  if (reason !== undefined) leaveOut(found, `${plugin}/${path}`, reason);
  else found.files.push(file as FoundFile);
}

async function toFound(
  data: string,
  plugin: string,
  path: string,
): Promise<FoundFile | string> {
  const stats = await lstat(join(data, plugin, path), { bigint: true });
  if (!stats.isFile()) return "it is not a plain file";
  return {
    plugin,
    path,
    size: Number(stats.size),
    mode: Number(stats.mode) & 0o777,
    stamp: stampOf(stats),
    changedMs: Number(stats.mtimeMs),
  };
}

interface Name {
  name: string;
  isFolder: boolean;
  isFile: boolean;
}

async function readNames(folder: string): Promise<Name[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch(
    (error: unknown) => {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    },
  );
  return names
    .map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      isFile: entry.isFile(),
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
