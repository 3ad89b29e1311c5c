import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { invalidPlugin } from "../errors.ts";
import { statIfThere } from "../home/if-there.ts";
import { readPluginPackage } from "./manifest.ts";
import type { PluginPackage } from "./manifest.ts";
import { packageFolder } from "./package-folder.ts";
import { readTarball } from "./read-tarball.ts";
import type { PackedFile } from "./read-tarball.ts";

/** Folders of an installation in progress; a plugin's own folder never begins with a dot. */
const STAGING_PREFIX = ".staging-";
const PREVIOUS_PREFIX = ".previous-";

/**
 * Unpacks a tarball made by `npm pack` into a folder of plugins. It is checked whole before a byte is written, and
 * moved into place at the end, so that there is never half a plugin.
 *
 * @param accept Tries what was installed. If it rejects, the folder is as it was before.
 * @param move Moves a folder; a test lets it fail.
 * @returns what was installed
 * @throws `PLUGIN_INVALID` with what is wrong, or what `accept` rejects with
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
    const isUpdate = await isThere(folder);
    let installed: PluginPackage | undefined;
    if (isUpdate) await move(folder, previous);
    try {
      await move(staging, folder);
      installed = await readPluginPackage(folder, basename(folder), "home");
      await accept?.(installed!);
    } catch (error) {
      // Until it is back the earlier version stays under its other name, where the next start finds it.
      await rm(folder, { recursive: true, force: true });
      if (isUpdate) await move(previous, folder);
      throw error;
    }
    // What cannot be removed now is removed at the next start.
    await rm(previous, { recursive: true, force: true }).catch(() => {});
    return installed!;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Removes what a crash left of an installation, and puts an earlier version back whose place is still empty. Only for
 * a folder in which no installation is in progress.
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
      if (place !== undefined && !(await isThere(place)))
        await rename(folder, place);
    }
    if (name.startsWith(PREVIOUS_PREFIX) || name.startsWith(STAGING_PREFIX))
      await rm(folder, { recursive: true, force: true });
  }
}

const isThere = async (path: string) => (await statIfThere(path)) !== undefined;

/** Writes the files of a package and checks what it says of itself. */
async function unpack(
  files: readonly PackedFile[],
  folder: string,
): Promise<PluginPackage> {
  await writeFiles(files, folder).catch((cause: { code?: string }) => {
    throw CLASHES.has(cause.code ?? "")
      ? invalidPlugin("some of its paths exclude each other", cause)
      : cause;
  });
  const found = await readPluginPackage(folder, "staging", "home").catch(
    (error: Error) => {
      throw invalidPlugin(error.message);
    },
  );
  if (!found) throw invalidPlugin('its package.json has no "gantry" part');
  for (const file of [found.server, found.ui, found.commands?.file])
    if (file !== undefined && !(await statIfThere(file))?.isFile())
      throw invalidPlugin(`${relative(folder, file)} is not in the package`);
  return found;
}

/** Faults of the names in an archive, not of the disk. */
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
