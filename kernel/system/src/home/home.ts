import { chmod, lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../user-error.ts";

/** Paths in a home. */
export interface Home {
  readonly folder: string;
  readonly token: string;
  readonly database: string;
  /** Locked through the system while a daemon holds the home. */
  readonly lock: string;
  /** Describes the daemon that holds the home. */
  readonly holder: string;
  /** Markers of child processes. */
  readonly processes: string;
  /** Plugins that the user added. */
  readonly plugins: string;
  /** Files of plugins, one folder each. */
  readonly data: string;
  /** Files of plugins that belong to this machine and are not backed up, one folder each. */
  readonly machine: string;
  /** The audit log. */
  readonly audit: string;
  /** Where replacements of the home are prepared. */
  readonly restore: string;
  /** Files that can be created again. */
  readonly cache: string;
  readonly starting: string;
  readonly certificate: string;
}

/** The paths in a home folder. Touches no files. */
export function homePaths(folder: string): Home {
  return {
    folder,
    token: join(folder, "token"),
    database: join(folder, "store.sqlite"),
    lock: join(folder, "daemon.lock"),
    holder: join(folder, "daemon.json"),
    processes: join(folder, "processes"),
    plugins: join(folder, "plugins"),
    data: join(folder, "data"),
    machine: join(folder, "machine"),
    audit: join(folder, "audit"),
    restore: join(folder, "restore"),
    cache: join(folder, "cache"),
    starting: join(folder, "cache", "starting.json"),
    certificate: join(folder, "certificate.json"),
  };
}

/** The home cannot be used. */
export class HomeError extends UserError {
  override readonly exitCode = 4;
}

/**
 * Creates the folders of a home, readable by their user only. Folders that were open to others are closed.
 *
 * @returns descriptions of what was repaired
 * @throws HomeError if the folder is a link, or belongs to another user
 */
export async function openHome(home: Home): Promise<string[]> {
  const mended: string[] = [];
  const { folder, processes, plugins, data, machine, audit, cache } = home;
  for (const path of [
    folder,
    processes,
    plugins,
    data,
    machine,
    audit,
    cache,
  ]) {
    if (await closeFolder(path))
      mended.push(`${path} was open to other users; it is closed now.`);
  }
  return mended;
}

/**
 * Creates a folder that only its user can read, or restricts an existing one.
 *
 * @returns whether it was open to others
 * @throws HomeError if it is a link, or belongs to another user
 */
export async function closeFolder(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(
    (error: { code?: string }) => {
      throw new HomeError(
        `The folder ${folder} cannot be created: ${error.code ?? "unknown fault"}.`,
      );
    },
  );
  const stats = await lstat(folder);
  if (!stats.isDirectory())
    throw new HomeError(
      `${folder} is not a folder of its own but a link or a file.`,
    );
  if (process.getuid && stats.uid !== process.getuid())
    throw new HomeError(`The folder ${folder} belongs to another user.`);
  if ((stats.mode & 0o077) === 0 || process.platform === "win32") return false;
  await chmod(folder, 0o700);
  return true;
}
