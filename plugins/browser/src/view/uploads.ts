import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import { checkRoom } from "../chromium/check-profile.ts";
import { cleanFileName } from "../downloads/clean-file-name.ts";

/** Uploads that are kept for the pages of one browser; the oldest is removed. */
const MAX_KEPT = 50;

/** A file that a person gave to a page. */
export interface Upload {
  id: string;
  name: string;
  size: number;
}

/** Files that people and agents give to pages: copies that the browser may read, until it ends. */
export class Uploads {
  /** Paths of the files of each upload by its id, for each browser in the order in which they were added. */
  readonly #kept = new Map<RunningBrowser, Map<string, string[]>>();

  /** @throws `BROWSER_DISK_FULL` (507) */
  async add(
    browser: RunningBrowser,
    suggestedName: string,
    bytes: Uint8Array,
  ): Promise<Upload> {
    await checkRoom(browser.downloadFolder);
    const name = cleanFileName(suggestedName);
    const id = await this.#keep(browser, async (folder) => {
      const path = join(folder, name);
      await writeFile(path, bytes, { flag: "wx" });
      return [path];
    });
    return { id, name, size: bytes.length };
  }

  /**
   * Copies files of the daemon's account for a browser, and returns the paths of the copies.
   *
   * @throws `BROWSER_DISK_FULL` (507)
   */
  async copy(
    browser: RunningBrowser,
    paths: readonly string[],
  ): Promise<string[]> {
    const sizes = await Promise.all(paths.map((path) => stat(path)));
    const total = sizes.reduce((sum, { size }) => sum + size, 0);
    await checkRoom(browser.downloadFolder, total);
    const id = await this.#keep(browser, async (folder) => {
      const copies: string[] = [];
      for (const [index, path] of paths.entries()) {
        // A folder for each: two files may have the same name.
        const own = join(folder, `${index}`);
        await makeReadableFolder(own);
        const copy = join(own, basename(path));
        const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;
        await copyFile(path, copy, COPYFILE_EXCL | COPYFILE_FICLONE);
        copies.push(copy);
      }
      return copies;
    });
    return this.pathsOf(browser, [id]);
  }

  /** Paths of files of a browser by their ids; ids of none are left out. */
  pathsOf(browser: RunningBrowser, ids: readonly string[]): string[] {
    const kept = this.#kept.get(browser);
    return ids.flatMap((id) => kept?.get(id) ?? []);
  }

  /** Makes a folder that only the browser's account may enter, and that is emptied when its next browser starts. */
  async #keep(
    browser: RunningBrowser,
    write: (folder: string) => Promise<string[]>,
  ): Promise<string> {
    const id = `upl_${randomUUID()}`;
    const folder = join(browser.downloadFolder, id);
    const kept = this.#keptOf(browser);
    // Known before it is written, so that it is removed if the browser ends meanwhile.
    kept.set(id, []);
    try {
      await makeReadableFolder(folder);
      const paths = await write(folder);
      for (const path of paths) await chmod(path, 0o644);
      if (kept.has(id)) kept.set(id, paths);
      // The browser has ended.
      else await this.#remove(browser, id);
    } catch (error) {
      await this.#remove(browser, id);
      throw error;
    }
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined)
      await this.#remove(browser, oldest);
    return id;
  }

  #keptOf(browser: RunningBrowser): Map<string, string[]> {
    const known = this.#kept.get(browser);
    if (known) return known;
    const kept = new Map<string, string[]>();
    this.#kept.set(browser, kept);
    void browser.ended.then(async () => {
      for (const id of [...kept.keys()]) await this.#remove(browser, id);
      this.#kept.delete(browser);
    });
    return kept;
  }

  async #remove(browser: RunningBrowser, id: string): Promise<void> {
    this.#kept.get(browser)?.delete(id);
    // What cannot be removed now is when the next browser of the profile starts.
    await rm(join(browser.downloadFolder, id), {
      ...{ recursive: true, force: true },
    }).catch(() => {});
  }
}

/** Readable for every account that gets there, whatever the daemon's own files are. */
async function makeReadableFolder(folder: string): Promise<void> {
  await mkdir(folder);
  await chmod(folder, 0o755);
}
