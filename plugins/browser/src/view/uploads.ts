import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import { checkRoom } from "../chromium/check-profile.ts";
import { cleanFileName } from "../downloads/clean-file-name.ts";

/** Files that are kept for the pages of one browser; the oldest is removed. */
const MAX_KEPT = 50;

/** A file that a person gave to a page. */
export interface Upload {
  id: string;
  name: string;
  size: number;
}

/** Files that people give to pages: copies that the browser may read, until it ends. */
export class Uploads {
  /** Paths by id, for each browser in the order in which they were added. */
  readonly #kept = new Map<RunningBrowser, Map<string, string>>();

  /** @throws `BROWSER_DISK_FULL` (507) */
  async add(
    browser: RunningBrowser,
    suggestedName: string,
    bytes: Uint8Array,
  ): Promise<Upload> {
    await checkRoom(browser.downloadFolder);
    const id = `upl_${randomUUID()}`;
    const name = cleanFileName(suggestedName);
    // In a folder that only the browser's account may enter, and that is emptied when its next browser starts.
    const folder = join(browser.downloadFolder, id);
    await mkdir(folder, { mode: 0o755 });
    const path = join(folder, name);
    await writeFile(path, bytes, { mode: 0o644, flag: "wx" });
    const kept = this.#keptOf(browser);
    kept.set(id, path);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined)
      await this.#remove(browser, oldest);
    return { id, name, size: bytes.length };
  }

  /** Paths of files of a browser by their ids; ids of none are left out. */
  pathsOf(browser: RunningBrowser, ids: readonly string[]): string[] {
    const kept = this.#kept.get(browser);
    return ids.flatMap((id) => kept?.get(id) ?? []);
  }

  #keptOf(browser: RunningBrowser): Map<string, string> {
    const known = this.#kept.get(browser);
    if (known) return known;
    const kept = new Map<string, string>();
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
