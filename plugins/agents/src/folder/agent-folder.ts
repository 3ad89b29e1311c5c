import { constants, type Stats } from "node:fs";
import {
  lstat,
  open,
  readlink,
  realpath,
  stat,
  type FileHandle,
} from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { isGantryError } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { toFileError } from "./file-errors.ts";
import { isOfGit, parsePath, showPath } from "./folder-path.ts";
import { isMadeUp, isSystemPath } from "./usable-folder.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

/** Where a path leads, with every link followed, and what is there. */
export interface Place {
  /** As it was asked for. */
  readonly asked: string;
  /** Absolute, and free of links when it was looked at. */
  readonly path: string;
  /** `undefined` if nothing is there. */
  readonly stats: Stats | undefined;
}

/** A file that is open, and no other than the one that was asked for. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** A folder that is open. */
export interface OpenFolder {
  readonly handle: FileHandle;
  /** Its address for further calls, which a rename of a folder above cannot move elsewhere. */
  readonly path: string;
}

/**
 * A folder out of which no path leads: neither by how it is written, nor by links, nor by links that are put in its
 * way while it is followed. Nothing outside is touched, not even to see whether it is there.
 */
export class AgentFolder {
  /** With every link followed. */
  readonly root: string;
  readonly #given: string;
  readonly #isClosed: (path: string) => boolean;

  private constructor(
    root: string,
    given: string,
    isClosed: (path: string) => boolean,
  ) {
    this.root = root;
    this.#given = given;
    this.#isClosed = isClosed;
  }

  /**
   * @param isClosed Whether an absolute path is excluded although it is in the folder.
   * @throws AGENT_FOLDER_GONE
   */
  static async open(
    cwd: string,
    isClosed: (path: string) => boolean,
  ): Promise<AgentFolder> {
    const root = await realpath(cwd).catch(() => undefined);
    if (root === undefined) throw errors.AGENT_FOLDER_GONE();
    const stats = await stat(root).catch(() => undefined);
    if (!stats?.isDirectory()) throw errors.AGENT_FOLDER_GONE();
    return new AgentFolder(root, cwd, isClosed);
  }

  /** Where a path leads. @throws PATH_OUTSIDE, PATH_INVALID, PATH_NOT_FOUND, PATH_PROTECTED, FILE_UNREADABLE */
  async find(asked: string): Promise<Place> {
    const pending = parsePath(asked);
    let path = this.root;
    let stats: Stats | undefined;
    let links = 0;
    for (let name; (name = pending.shift()) !== undefined;) {
      const next = name === ".." ? dirname(path) : join(path, name);
      if (!this.#holds(next)) throw this.#outside(asked);
      const found = await this.#look(next, asked);
      if (!found && pending.length > 0)
        throw errors.PATH_NOT_FOUND({ path: showPath(asked) });
      if (found?.isSymbolicLink()) {
        links += 1;
        if (links > MAX_LINKS)
          throw errors.PATH_INVALID({ path: showPath(asked) });
        const target = await readlink(next).catch((error: unknown) => {
          throw toFileError(error, asked);
        });
        if (isAbsolute(target)) path = this.root;
        pending.unshift(...this.#follow(target, asked));
        stats = undefined;
        continue;
      }
      path = next;
      stats = found;
    }
    if (this.#isClosed(path))
      throw errors.PATH_PROTECTED({ path: showPath(asked) });
    // The last step may have been a link back to a folder that has been passed already.
    return { asked, path, stats: stats ?? (await this.#look(path, asked)) };
  }

  /** Opens a plain file to read. What is no such, a pipe or a device, is not even touched. */
  async openFile(asked: string): Promise<OpenFile> {
    const place = await this.find(asked);
    const values = { path: showPath(asked) };
    if (!place.stats) throw errors.PATH_NOT_FOUND(values);
    if (!place.stats.isFile()) throw errors.FILE_NOT_REGULAR(values);
    // Had it become a pipe meanwhile, an open that blocks would hang for ever.
    const handle = await this.#open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return await this.#keep(handle, asked, async () => {
      const stats = await handle.stat();
      const address = descriptorPath(handle) ?? place.path;
      if (!stats.isFile() || (await isMadeUp(address)))
        throw errors.FILE_NOT_REGULAR(values);
      return { handle, stats };
    });
  }

  /** Opens a folder, to list it or to write in it. */
  async openFolder(asked: string): Promise<OpenFolder> {
    const place = await this.find(asked);
    if (!place.stats) throw errors.PATH_NOT_FOUND({ path: showPath(asked) });
    return await this.#openFolder(place);
  }

  /** Opens the folder that a file is in or is to be in. @throws PATH_PROTECTED for what git keeps for itself. */
  async openParent(
    asked: string,
  ): Promise<{ folder: OpenFolder; name: string; place: Place }> {
    const place = await this.find(asked);
    if (place.path === this.root)
      throw errors.FILE_NOT_REGULAR({ path: showPath(asked) });
    if (isOfGit(place.path.split(sep)))
      throw errors.PATH_PROTECTED({ path: showPath(asked) });
    const parent = { ...place, path: dirname(place.path) };
    const folder = await this.#openFolder(parent);
    return { folder, name: basename(place.path), place };
  }

  /** A path as clients have it: relative, with `/`. */
  relative(path: string): string {
    return relative(this.root, path).split(sep).join("/");
  }

  async #openFolder(place: Place): Promise<OpenFolder> {
    const handle = await this.#open(
      place,
      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_DIRECTORY,
    ).catch((error: unknown) => {
      if (isGantryError(error) && error.code === "PATH_NOT_FOUND")
        throw errors.FOLDER_EXPECTED({ path: showPath(place.asked) });
      throw error;
    });
    return await this.#keep(handle, place.asked, async () => {
      const path = descriptorPath(handle) ?? place.path;
      // A folder of the system may be inside of the agent's, which may be "/".
      if (isSystemPath(place.path) || (await isMadeUp(path)))
        throw errors.PATH_PROTECTED({ path: showPath(place.asked) });
      return { handle, path };
    });
  }

  async #open(place: Place, flags: number): Promise<FileHandle> {
    const handle = await open(place.path, flags).catch((error: unknown) => {
      throw toFileError(error, place.asked);
    });
    return await this.#keep(handle, place.asked, async () => {
      // What counts is what was opened, not what was there before.
      const address = descriptorPath(handle);
      const opened = address
        ? await readlink(address)
        : await recheck(handle, place.path);
      if (!this.#holds(opened)) throw this.#outside(place.asked);
      return handle;
    });
  }

  /** Closes what was opened unless all goes well. */
  async #keep<Result>(
    handle: FileHandle,
    asked: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await handle.close();
      throw isGantryError(error) ? error : toFileError(error, asked);
    }
  }

  async #look(path: string, asked: string): Promise<Stats | undefined> {
    return await lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw toFileError(error, asked);
    });
  }

  /** The names that a link stands for, from where it is, or from the root if it is absolute. */
  #follow(target: string, asked: string): string[] {
    let rest = target;
    if (isAbsolute(target)) {
      const start = [this.root, this.#given].find(
        (root) => target === root || target.startsWith(root + sep),
      );
      if (start === undefined) throw this.#outside(asked);
      rest = target.slice(start.length);
    }
    return rest.split(sep).filter((name) => name !== "" && name !== ".");
  }

  #holds(path: string): boolean {
    const start = this.root === sep ? sep : this.root + sep;
    return path === this.root || path.startsWith(start);
  }

  #outside(asked: string) {
    return errors.PATH_OUTSIDE({ path: showPath(asked) });
  }
}

/** Address of what is open, where the system has such addresses. */
export function descriptorPath(handle: FileHandle): string | undefined {
  return process.platform === "linux"
    ? `/proc/self/fd/${handle.fd}`
    : undefined;
}

/** Where something that is open is now, for systems that do not tell it of a descriptor. */
async function recheck(handle: FileHandle, path: string): Promise<string> {
  const [real, there, opened] = await Promise.all([
    realpath(path),
    stat(path),
    handle.stat(),
  ]);
  return there.ino === opened.ino && there.dev === opened.dev ? real : "";
}
