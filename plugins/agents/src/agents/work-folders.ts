import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { WorkFolder } from "../records/removal-record.ts";
import { toSlug } from "./slug.ts";

/** Creates and deletes the folders of agents that have no project. */
export class WorkFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = resolve(root);
  }

  /** Creates a new folder named after an agent. */
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

  /** The identity of a work folder, which no later folder at the same path has. `null` for a folder outside the root. */
  async identify(path: string): Promise<WorkFolder | null> {
    if (dirname(resolve(path)) !== this.#root) return null;
    const identity = await identityOf(path);
    return identity === undefined ? null : { path, identity };
  }

  /**
   * Deletes a folder: renames it first, so that its name is free for a new agent, then removes it. Idempotent, also after a
   * crash between the steps.
   */
  async remove({ path, identity }: WorkFolder, agentId: string): Promise<void> {
    const doomed = join(this.#root, `.deleted-${agentId}`);
    if ((await identityOf(path)) === identity) await rename(path, doomed);
    await rm(doomed, { recursive: true, force: true });
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  // Inode numbers are reused, so the creation time is part of the identity.
  return stats && `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}
