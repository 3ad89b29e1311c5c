import { join } from "node:path";
import type { WrittenArchive } from "./archive-writer.ts";
import { linkWhole } from "./link-whole.ts";
import type { Manifest } from "./manifest.ts";

/** A part of the store, and the archive that it is to be in. */
export interface StorePart {
  /** Of the archive. */
  name: string;
  namespace: string;
  /** Of the lines. */
  contentSha256: string;
}

/** An archive of the store. */
export type StoreArchive = WrittenArchive & StorePart;

/** Archives of the last snapshot for the same key. What did not change since is linked, not written again. */
export class EarlierArchives {
  readonly #path: string;
  readonly #archives = new Map<string, StoreArchive>();

  /** @param path Folder of the snapshot. */
  constructor(path: string, archives: Manifest["archives"]) {
    this.#path = path;
    for (const { namespace, contentSha256, ...archive } of archives) {
      if (namespace === null || contentSha256 === null) continue;
      const known = { ...archive, namespace, contentSha256 };
      this.#archives.set(toKey(known), known);
    }
  }

  /**
   * Links the archive of a part into the folder of another snapshot.
   *
   * @returns `undefined` if there is none, or it cannot be linked
   */
  async link(
    part: StorePart,
    folder: string,
  ): Promise<StoreArchive | undefined> {
    const known = this.#archives.get(toKey(part));
    if (!known) return undefined;
    const path = join(folder, part.name);
    const isLinked = await linkWhole(join(this.#path, known.name), path, known);
    return isLinked ? { ...known, name: part.name } : undefined;
  }
}

function toKey({ namespace, contentSha256 }: StorePart): string {
  return `${namespace} ${contentSha256}`;
}
