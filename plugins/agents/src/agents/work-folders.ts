import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { WorkFolder } from "../records/removal-record.ts";
import { isAgentId } from "../records/agent-record.ts";
import { toSlug } from "./slug.ts";

/** Begins the names of folders that are to be removed. */
const DOOMED = ".deleted-";

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
    folder: Pick<WorkFolder, "path" | "identity">,
    agentId: string,
  ): Promise<void> {
    await this.setAside(folder, agentId);
    await this.clear(agentId);
  }

  /** Renames a folder to one that is to be removed. Does nothing if it is gone, or another one is in its place. */
  async setAside(
    { path, identity }: Pick<WorkFolder, "path" | "identity">,
    agentId: string,
  ): Promise<void> {
    if ((await identityOf(path)) !== identity) return;
    const doomed = this.#doomed(agentId);
    await rm(doomed, { recursive: true, force: true });
    await rename(path, doomed);
  }

  /** Removes what was set aside for an agent. */
  async clear(agentId: string): Promise<void> {
    await rm(this.#doomed(agentId), { recursive: true, force: true });
  }

  /** Removes what was set aside before a crash. @returns what could not be removed */
  async sweep(): Promise<unknown[]> {
    const names = await readdir(this.#root).catch(() => []);
    const failures: unknown[] = [];
    for (const name of names) {
      const agentId = name.slice(DOOMED.length);
      // The folder may be one of the user's, with other files in it.
      if (name.startsWith(DOOMED) && isAgentId(agentId))
        await this.clear(agentId).catch((error: unknown) =>
          failures.push(error),
        );
    }
    return failures;
  }

  #doomed(agentId: string): string {
    return join(this.#root, `${DOOMED}${agentId}`);
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  // Numbers are used again; the time at which a folder was made is not.
  return stats && `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}
