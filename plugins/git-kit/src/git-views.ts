import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { checkObjects } from "./check-objects.ts";
import { formatConfig } from "./config-text.ts";
import { createView } from "./create-view.ts";
import type { Repository } from "./find-repository.ts";
import { findAddressExtension, keepSettings } from "./kept-settings.ts";

/** Views that are kept for later calls. */
const MAX_VIEWS = 64;
/** Commands whose output contains paths of the view. The output of others is data. */
const PRINTS_PATHS = new Set([
  "branch",
  "for-each-ref",
  "rev-parse",
  "worktree",
]);

/** A view of a repository, in use until it is released. */
export interface GitView {
  /** Variables with which git reads the repository through the view. */
  readonly variables: Readonly<Record<string, string>>;
  /** Replaces paths of the view in a text from git by those of the repository. */
  showRealPaths(text: string): string;
  release(): void;
}

/** In place of a view, where git is to find the repository and its configuration itself. */
export const OWN_VIEW: GitView = {
  variables: {},
  showRealPaths: (text) => text,
  release: () => {},
};

interface KeptView {
  uses: number;
  /** Its removal, once that has begun. */
  removed?: Promise<void>;
}

/**
 * Lets git read repositories without their configuration, which names programs and can change between our check and git's
 * start. A view is a folder that takes the place of the one that working trees share (`GIT_COMMON_DIR`): it has a
 * configuration that we wrote, and links to the repository's branches and objects. `HEAD`, the index and the like come
 * from the repository itself (`GIT_DIR`).
 */
export class GitViews {
  readonly #prepareFolder: () => Promise<string>;
  #folder: Promise<string> | undefined;
  /** By name, the most recently used last. */
  readonly #kept = new Map<string, KeptView>();

  /**
   * @param prepareFolder Called at the first use. Gives the real path of a folder with mode 0700; views in it are used
   *   again.
   */
  constructor(prepareFolder: () => Promise<string>) {
    this.#prepareFolder = prepareFolder;
  }

  /**
   * Opens the view of a repository with its current configuration. A string is the reason why git cannot read it.
   *
   * @throws GIT_OBJECTS_OUTSIDE
   */
  async open(repository: Repository): Promise<GitView | string> {
    const { root, folder, common, config } = repository;
    if (!config.entries) return config.fault;
    const extension = findAddressExtension(config.entries);
    if (extension !== undefined)
      return `extensions.${extension} names another place`;
    const settings = formatConfig(keepSettings(config.entries));
    const name = digest(`${common}\0${settings}`);
    await checkObjects(repository);
    const kept = await this.#hold(name);
    try {
      const views = await (this.#folder ??= this.#openFolder());
      const base = join(views, name);
      // git removes this last part to get the path of the main working tree.
      const shared = join(base, ".git");
      if (!(await exists(join(shared, "config"))))
        await createView(shared, common, settings);
      return {
        variables: {
          GIT_DIR: folder,
          GIT_COMMON_DIR: shared,
          GIT_WORK_TREE: root,
        },
        showRealPaths: (text) =>
          text
            .replaceAll(shared, common)
            .replaceAll(base, common.replace(/\/\.git$/, "")),
        release: () => this.#release(kept),
      };
    } catch (error) {
      this.#release(kept);
      throw error;
    }
  }

  /** Runs something with an empty folder, and removes that. */
  async inEmptyFolder<Result>(
    work: (folder: string) => Promise<Result>,
  ): Promise<Result> {
    const views = await (this.#folder ??= this.#openFolder());
    const folder = await mkdtemp(join(views, "empty-"));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #openFolder(): Promise<string> {
    try {
      return await this.#prepareFolder();
    } catch (error) {
      this.#folder = undefined;
      throw error;
    }
  }

  async #hold(name: string): Promise<KeptView> {
    for (;;) {
      const kept = this.#kept.get(name) ?? { uses: 0 };
      if (!kept.removed) {
        kept.uses += 1;
        this.#kept.delete(name);
        this.#kept.set(name, kept);
        return kept;
      }
      await kept.removed;
    }
  }

  #release(kept: KeptView): void {
    kept.uses -= 1;
    if (this.#kept.size <= MAX_VIEWS) return;
    for (const [name, other] of this.#kept)
      if (other.uses === 0 && !other.removed)
        return void (other.removed = this.#remove(name));
  }

  async #remove(name: string): Promise<void> {
    const views = await this.#folder;
    if (views !== undefined)
      await rm(join(views, name), { recursive: true, force: true }).catch(
        () => {},
      );
    this.#kept.delete(name);
  }
}

/** The views in a folder of one plugin alone. Those of an earlier run are removed at the first use. */
export function openGitViews(folder: string): GitViews {
  return new GitViews(async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await realpath(folder);
  });
}

/** Whether the output of a command goes through {@link GitView.showRealPaths}. */
export function printsPaths(command: string | undefined): boolean {
  return command !== undefined && PRINTS_PATHS.has(command);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 32);
}
