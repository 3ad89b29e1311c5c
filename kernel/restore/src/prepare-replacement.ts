import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readToken } from "@gantry/system/home/install-token";
import { openRevokedTokens } from "@gantry/system/home/revoked-tokens";
import type { StorageSettings } from "@gantry/store/open-store";
import { replaceFile } from "@gantry/plugin/files";
import { statIfThere } from "@gantry/system/home/if-there";
import type { Home } from "@gantry/system/home/home";
import { openReplacedCertificates } from "@gantry/http/replaced-certificates";
import { linesFile } from "./check-stage.ts";
import type { StageContent } from "./check-stage.ts";
import type { ReplacementItems } from "./replacement-files.ts";
import { readEntryLines } from "./stage-lines.ts";

/** Dependencies of the functions that prepare a stage. */
export interface PrepareHost {
  home: Home;
  /** Where the store is. */
  storage: StorageSettings;
  /** Reads the text of a `config.json`. @throws Error that names the setting that is refused */
  parseConfig(text: string): { storage: StorageSettings };
}

/** Checks all lines of a stage, and prepares it for the place of all that is in the home. @throws TypeError */
export async function prepareWhole(
  host: PrepareHost,
  stage: string,
  content: StageContent,
  signal: AbortSignal,
): Promise<ReplacementItems> {
  const { hasStore, plugins } = content;
  const homeFiles = await withoutReplaced(host.home, stage, content);
  if (!hasStore) throw new TypeError('The stage has no folder "store".');
  if (homeFiles.includes("config.json"))
    await keepStorage(join(stage, "config.json"), host);
  await checkLines(stage, content.namespaces, signal);
  const folders = plugins.map((plugin) => join("data", plugin));
  return { paths: [...folders, ...homeFiles], namespaces: [] };
}

/**
 * Checks all lines of a stage whose records and files are to be added to what is in the home.
 *
 * @throws TypeError
 */
export async function prepareMerge(
  { home }: PrepareHost,
  stage: string,
  { namespaces, homeFiles, files, emptyFolders }: StageContent,
  signal: AbortSignal,
): Promise<ReplacementItems> {
  const [homeFile] = homeFiles;
  if (homeFile !== undefined)
    throw new TypeError(`${homeFile} cannot be merged.`);
  await checkLines(stage, namespaces, signal);
  const seen = new Set<string>();
  for (const path of files) {
    await checkFolders(home.folder, dirname(path), seen);
    const stats = await statIfThere(join(home.folder, path));
    if (stats?.isDirectory())
      throw new TypeError(`${path} is a folder in the home.`);
  }
  const folders: string[] = [];
  for (const path of emptyFolders) {
    await checkFolders(home.folder, path, seen);
    if (!(await statIfThere(join(home.folder, path)))) folders.push(path);
  }
  return { paths: [...files, ...folders], namespaces };
}

/** A token or certificate that was replaced here is not brought back: the one that replaced it stays. */
async function withoutReplaced(
  { revokedTokens, replacedCertificates }: Home,
  stage: string,
  { homeFiles }: StageContent,
): Promise<readonly string[]> {
  const kept = new Set(homeFiles);
  if (kept.has("token")) {
    const revoked = await openRevokedTokens(revokedTokens);
    const token = await readToken(join(stage, "token"));
    if (token !== undefined && revoked.has(token)) kept.delete("token");
  }
  if (kept.has("certificate.json")) {
    const replaced = await openReplacedCertificates(replacedCertificates);
    const content = await readFile(join(stage, "certificate.json"), "utf8");
    if (!(await replaced.bring(content))) kept.delete("certificate.json");
  }
  return [...kept];
}

/** Reads all lines of a stage. @throws TypeError that names the line that is refused */
async function checkLines(
  stage: string,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const namespace of namespaces) {
    const pages = readEntryLines(linesFile(stage, namespace), namespace);
    for await (const _page of pages) signal.throwIfAborted();
  }
}

/** Makes sure that the folders of a path are folders, or are not there yet. */
async function checkFolders(
  home: string,
  folder: string,
  seen: Set<string>,
): Promise<void> {
  if (folder === "." || seen.has(folder)) return;
  await checkFolders(home, dirname(folder), seen);
  seen.add(folder);
  const stats = await statIfThere(join(home, folder));
  if (stats && !stats.isDirectory())
    throw new TypeError(`${folder} is no folder in the home.`);
}

/** The settings in a `config.json` that is to be put in place. @throws a TypeError that names the setting that is refused */
export function checkStagedConfig(
  { parseConfig }: Pick<PrepareHost, "parseConfig">,
  text: string,
): ReturnType<PrepareHost["parseConfig"]> {
  try {
    return parseConfig(text);
  } catch (cause) {
    throw new TypeError((cause as Error).message, { cause });
  }
}

/** Where the store is belongs to the machine and not to what is stored: a staged configuration gets it as it is here. */
async function keepStorage(file: string, host: PrepareHost): Promise<void> {
  const { storage } = host;
  const text = await readFile(file, "utf8");
  const staged = checkStagedConfig(host, text).storage;
  if (JSON.stringify(staged) === JSON.stringify(storage)) return;
  const settings = JSON.parse(text) as Record<string, unknown>;
  if (storage === "sqlite") delete settings.storage;
  else settings.storage = storage;
  await replaceFile(file, `${JSON.stringify(settings, null, 2)}\n`);
}
