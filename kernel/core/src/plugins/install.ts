import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { errors } from "../errors.ts";
import { readPluginPackage } from "./manifest.ts";
import type { PluginPackage } from "./manifest.ts";
import { packageFolder } from "./package-folder.ts";
import { readTarball } from "./read-tarball.ts";
import type { PackedFile } from "./read-tarball.ts";

/** Folders of an installation in progress; a plugin's own folder never begins with a dot. */
const STAGING_PREFIX = ".staging-";
const PREVIOUS_PREFIX = ".previous-";

/**
 * Unpacks a tarball made by `npm pack` into a folder of plugins. All of it is checked before anything is
 * written, and the folder is moved into place at the end, so that no partial plugin is ever visible.
 *
 * @param accept Tests the installed package. If it rejects, the previous folder is restored.
 * @param move Moves a folder. Tests replace it to simulate a failure.
 * @returns the installed package
 * @throws `PLUGIN_INVALID` with the reason, or the error of `accept`
 */
export async function installTarball(
  tarball: string,
  pluginsFolder: string,
  accept?: (installed: PluginPackage) => Promise<void>,
  move: (from: string, to: string) => Promise<void> = rename,
): Promise<PluginPackage> {
  const files = await readTarball(tarball);
  const mark = randomBytes(6).toString("hex");
  const staging = join(pluginsFolder, STAGING_PREFIX + mark);
  const previous = join(pluginsFolder, PREVIOUS_PREFIX + mark);
  try {
    const found = await unpack(files, staging);
    const folder = await packageFolder(found.packageName, pluginsFolder);
    const installed = moveTo(folder, found);
    const isUpdate = await exists(folder);
    if (isUpdate) await move(folder, previous);
    try {
      await move(staging, folder);
      await accept?.(installed);
    } catch (error) {
      // If this fails, the earlier version stays under its other name, where the next start finds it.
      await rm(folder, { recursive: true, force: true });
      if (isUpdate) await move(previous, folder);
      throw error;
    }
    // A folder that cannot be removed now is removed at the next start.
    await rm(previous, { recursive: true, force: true }).catch(() => {});
    return installed;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Removes the remains of an interrupted installation, and restores an earlier version that has no successor. Call it only
 * while no installation is in progress.
 */
export async function mendInstallations(pluginsFolder: string): Promise<void> {
  const names = await readdir(pluginsFolder).catch(() => []);
  for (const name of names) {
    const folder = join(pluginsFolder, name);
    if (name.startsWith(PREVIOUS_PREFIX)) {
      const found = await readPluginPackage(folder, name, "home").catch(
        () => undefined,
      );
      const place =
        found && (await packageFolder(found.packageName, pluginsFolder));
      if (place !== undefined && !(await exists(place)))
        await rename(folder, place);
    }
    if (name.startsWith(PREVIOUS_PREFIX) || name.startsWith(STAGING_PREFIX))
      await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the files of a package and validates its manifest. */
async function unpack(
  files: readonly PackedFile[],
  folder: string,
): Promise<PluginPackage> {
  await writeFiles(files, folder).catch((cause: { code?: string }) => {
    throw CLASHES.has(cause.code ?? "")
      ? errors.PLUGIN_INVALID(
          { reason: "some of its paths exclude each other" },
          { cause },
        )
      : cause;
  });
  const found = await readPluginPackage(folder, "staging", "home").catch(
    (error: Error) => {
      throw errors.PLUGIN_INVALID({ reason: error.message });
    },
  );
  if (!found)
    throw errors.PLUGIN_INVALID({
      reason: 'its package.json has no "gantry" part',
    });
  for (const file of [found.server, found.ui, found.commands?.file]) {
    const isMissing =
      file !== undefined &&
      !(await lstat(file).catch(() => undefined))?.isFile();
    if (isMissing)
      throw errors.PLUGIN_INVALID({
        reason: `${relative(folder, file)} is not in the package`,
      });
  }
  return found;
}

/** Error codes that are caused by names in an archive, not by the disk. */
const CLASHES = new Set(["EEXIST", "EISDIR", "ENOTDIR", "ENAMETOOLONG"]);

async function writeFiles(
  files: readonly PackedFile[],
  folder: string,
): Promise<void> {
  for (const { path, content } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, content, { mode: 0o600 });
  }
}

/** Converts a package to its final folder. */
function moveTo(folder: string, found: PluginPackage): PluginPackage {
  const moved = (file: string | undefined) =>
    file && join(folder, relative(found.folder, file));
  const { commands } = found;
  return {
    ...found,
    name: basename(folder),
    folder,
    server: moved(found.server),
    ui: moved(found.ui),
    commands: commands && { ...commands, file: moved(commands.file)! },
  };
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
