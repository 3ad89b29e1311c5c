import { mkdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { toSlug } from "./slug.ts";

/** Folders of agents that have no project. */
export class WorkFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = resolve(root);
  }

  /** Makes a new folder named after an agent. */
  async make(name: string): Promise<string> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const slug = toSlug(name);
    for (let count = 1; ; count += 1) {
      const path = join(this.#root, count === 1 ? slug : `${slug}-${count}`);
      try {
        await mkdir(path, { mode: 0o700 });
        return path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  }

  /** Deletes a folder that was made here. Any other is left alone, whatever a record says. */
  async remove(path: string): Promise<boolean> {
    if (dirname(resolve(path)) !== this.#root) return false;
    await rm(path, { recursive: true, force: true });
    return true;
  }
}
