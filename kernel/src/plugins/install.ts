import {
  lstat,
  mkdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { dirname, join, normalize, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { randomBytes } from "node:crypto";
import { parseTar } from "nanotar";
import type { ParsedTarFileItem } from "nanotar";
import { errors } from "../errors.ts";
import { readPluginPackage } from "./manifest.ts";
import type { PluginPackage } from "./manifest.ts";

/** Largest plugin, unpacked. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 5_000;
/** The folder that `npm pack` puts everything in. */
const PACKAGE_PREFIX = "package/";

/**
 * Unpacks a tarball made by `npm pack` into a folder of plugins. It is checked whole before a byte is written, and
 * moved into place at the end, so that there is never half a plugin.
 *
 * @returns what was installed; the folder is named after the package
 * @throws `PLUGIN_INVALID` with what is wrong
 */
export async function installTarball(
  tarball: string,
  pluginsFolder: string,
): Promise<PluginPackage> {
  const files = await readTarball(tarball);
  const staging = join(
    pluginsFolder,
    `.staging-${randomBytes(6).toString("hex")}`,
  );
  try {
    await unpack(files, staging).catch((cause: { code?: string }) => {
      throw CLASHES.has(cause.code ?? "")
        ? errors.PLUGIN_INVALID(
            { reason: "some of its paths exclude each other" },
            { cause },
          )
        : cause;
    });
    const found = await readPluginPackage(staging, "staging", "home").catch(
      (error: Error) => {
        throw errors.PLUGIN_INVALID({ reason: error.message });
      },
    );
    if (!found)
      throw errors.PLUGIN_INVALID({
        reason: 'its package.json has no "gantry" part',
      });
    for (const file of [found.server, found.ui]) {
      const missing =
        file !== undefined &&
        !(await lstat(file).catch(() => undefined))?.isFile();
      if (missing)
        throw errors.PLUGIN_INVALID({
          reason: `${relative(staging, file)} is not in the package`,
        });
    }
    const name = folderName(found.packageName);
    const folder = join(pluginsFolder, name);
    await rm(folder, { recursive: true, force: true });
    await rename(staging, folder);
    const moved = (file: string | undefined) =>
      file && join(folder, relative(staging, file));
    return {
      ...found,
      name,
      folder,
      server: moved(found.server),
      ui: moved(found.ui),
    };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Faults of the names in an archive, not of the disk. */
const CLASHES = new Set(["EEXIST", "EISDIR", "ENOTDIR", "ENAMETOOLONG"]);

async function unpack(
  files: readonly { path: string; data: Uint8Array }[],
  folder: string,
): Promise<void> {
  for (const { path, data } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, data, { mode: 0o600 });
  }
}

/** Folder of a package: its name without what a folder cannot have. */
function folderName(packageName: string): string {
  const name = packageName.replace(/^@/, "").replaceAll("/", "__");
  if (!/^[a-z0-9][\w.-]*$/i.test(name))
    throw errors.PLUGIN_INVALID({ reason: "its package name is not a name" });
  return name;
}

async function readTarball(
  tarball: string,
): Promise<{ path: string; data: Uint8Array }[]> {
  let entries: ParsedTarFileItem[];
  try {
    const archive = gunzipSync(await readFile(tarball), {
      maxOutputLength: MOST_BYTES,
    });
    // A copy, since nanotar reads the whole memory behind a buffer, and a small one shares its memory with others.
    entries = parseTar(new Uint8Array(archive));
  } catch (cause) {
    throw errors.PLUGIN_INVALID(
      { reason: "it is not a readable .tgz of at most 64 MB unpacked" },
      { cause },
    );
  }
  if (entries.length > MOST_FILES)
    throw errors.PLUGIN_INVALID({
      reason: `it has more than ${MOST_FILES} files`,
    });
  return entries.flatMap(({ name, type, data }) => {
    if (type === "directory") return [];
    // Links could lead a later entry out of the folder, and no plugin needs one.
    if (type !== "file")
      throw errors.PLUGIN_INVALID({
        reason: `${name.slice(0, 80)} is not a plain file`,
      });
    const path = normalize(name);
    const escapes =
      !path.startsWith(PACKAGE_PREFIX.replace("/", sep)) ||
      path.split(sep).includes("..");
    if (escapes || name.includes("\0")) {
      throw errors.PLUGIN_INVALID({
        reason: `${name.slice(0, 80)} is outside the package's folder`,
      });
    }
    return [
      {
        path: path.slice(PACKAGE_PREFIX.length),
        data: data ?? new Uint8Array(),
      },
    ];
  });
}
