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

/** Checks all lines of a stage whose records and files are to be added to what is in the home. @throws TypeError */
export async function prepareMerge(
  { home }: PrepareHost,
  stage: string,
  content: StageContent,
  signal: AbortSignal,
): Promise<ReplacementItems> {
  const { namespaces, homeFiles } = content;
  const [homeFile] = homeFiles;
  if (homeFile !== undefined)
    throw new TypeError(`${homeFile} cannot be merged.`);
  await checkLines(stage, namespaces, signal);
  return { paths: await toMergedPaths(home, content), namespaces };
}

/** What is renamed to add staged files to those in the home: folders that are not there as a whole, with their modes. @throws TypeError */
export async function toMergedPaths(
  home: Home,
  { files, emptyFolders }: StageContent,
): Promise<string[]> {
  const seen = new Map<string, string | undefined>();
  const paths = new Set<string>();
  for (const path of files) {
    const absent = await findAbsent(home.folder, dirname(path), seen);
    if (!absent && (await statIfThere(join(home.folder, path)))?.isDirectory())
      throw new TypeError(`${path} is a folder in the home.`);
    paths.add(absent ?? path);
  }
  for (const path of emptyFolders) {
    const absent = await findAbsent(home.folder, path, seen);
    if (absent) paths.add(absent);
  }
  return [...paths];
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

/** Of a folder and those that it is in, the outermost that is not there. @throws TypeError if one of them is no folder */
async function findAbsent(
  home: string,
  folder: string,
  seen: Map<string, string | undefined>,
): Promise<string | undefined> {
  if (folder === "." || seen.has(folder)) return seen.get(folder);
  let absent = await findAbsent(home, dirname(folder), seen);
  const stats = absent ? undefined : await statIfThere(join(home, folder));
  if (stats && !stats.isDirectory())
    throw new TypeError(`${folder} is no folder in the home.`);
  if (!stats) absent ??= folder;
  seen.set(folder, absent);
  return absent;
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
