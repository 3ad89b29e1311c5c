import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { WorkFolder } from "../records/removal-record.ts";
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

  /** The lasting identity of a folder that was made here, which no later folder in its place has; `null` for others. */
  async identify(
    path: string,
  ): Promise<Pick<WorkFolder, "path" | "identity"> | null> {
    if (dirname(resolve(path)) !== this.#root) return null;
    const identity = await identityOf(path);
    return identity === undefined ? null : { path, identity };
  }

  /**
   * Deletes a folder in two steps: it gets another name, so that a new agent may have its own, and is then removed.
   * Harmless twice, and after a crash at any place.
   */
  async remove(
    { path, identity }: Pick<WorkFolder, "path" | "identity">,
    agentId: string,
  ): Promise<void> {
    const doomed = join(this.#root, `.deleted-${agentId}`);
    if ((await identityOf(path)) === identity) await rename(path, doomed);
    await rm(doomed, { recursive: true, force: true });
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  // Numbers are used again; the time at which a folder was made is not.
  return stats && `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}
