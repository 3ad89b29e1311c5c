import { chmod, lstat, mkdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { UserError } from "../user-error.ts";

/** Where things are in a home. */
export type Home = Readonly<ReturnType<typeof homePaths>>;

/** The paths in a home folder. Touches nothing. */
export function homePaths(folder: string) {
  return {
    folder,
    token: join(folder, "token"),
    /** Tokens that were replaced. */
    revokedTokens: join(folder, "revoked-tokens.json"),
    database: join(folder, "store.sqlite"),
    /** Locked by the system while a daemon holds the home. */
    lock: join(folder, "daemon.lock"),
    /** Who holds it. */
    holder: join(folder, "daemon.json"),
    /** Markers of child processes. */
    processes: join(folder, "processes"),
    /** Plugins that the user added. */
    plugins: join(folder, "plugins"),
    /** Files of plugins, a folder each. */
    data: join(folder, "data"),
    /** The audit log. */
    audit: join(folder, "audit"),
    /** Where the home is replaced by a copy of it. */
    restore: join(folder, "restore"),
    /** What can be made again. */
    cache: join(folder, "cache"),
    starting: join(folder, "cache", "starting.json"),
    certificate: join(folder, "certificate.json"),
    /** Which certificates were replaced. */
    replacedCertificates: join(folder, "replaced-certificates.json"),
  };
}

/** The home cannot be used. */
export class HomeError extends UserError {
  override readonly exitCode = 4;
}

/**
 * Names the file of a home that a start could not use, such as a folder or a dangling link in the place of a file. Other
 * errors stay as they are.
 */
export function toHomeError(error: unknown, folder: string): unknown {
  const { code, path, dest, address } = error as NodeJS.ErrnoException & {
    dest?: string;
    address?: string;
  };
  const file = dest ?? path ?? address;
  if (typeof code !== "string" || !file?.startsWith(folder + sep)) return error;
  return new HomeError(
    `${file} cannot be read or written: ${code}. If it is not what the daemon made, move it out of the home and start again.`,
    { cause: error },
  );
}

/**
 * Makes the folders of a home, readable by their user alone. What was open to others is closed.
 *
 * @returns what was repaired, in words
 * @throws HomeError if the folder is a link, or belongs to another user
 */
export async function openHome(home: Home): Promise<string[]> {
  const mended: string[] = [];
  const { folder, processes, plugins, data, audit, cache } = home;
  for (const path of [folder, processes, plugins, data, audit, cache]) {
    if (await closeFolder(path))
      mended.push(`${path} was open to other users; it is closed now.`);
  }
  return mended;
}

/**
 * Makes a folder that only its user can look into, or closes one that is there.
 *
 * @returns whether it was open
 * @throws HomeError if it is a link, or belongs to another user
 */
export async function closeFolder(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(
    (error: { code?: string }) => {
      throw new HomeError(
        `The folder ${folder} cannot be made: ${error.code ?? "unknown fault"}.`,
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
