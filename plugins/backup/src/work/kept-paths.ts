import { holdsConversations } from "../archive/conversation-folders.ts";
import { isFile, isLink, type ListedEntry } from "../archive/file-list.ts";
import type { FoundFiles } from "../archive/find-files.ts";
import { FORMAT_WITHOUT_LINKS, type Manifest } from "../archive/manifest.ts";

/** What stays in the folders of plugins when a snapshot takes their place, relative to the folder of all plugins. */
export interface KeptPaths {
  /** What no snapshot can hold: pipes, links that lead elsewhere, names that other systems do not take, what is too much. */
  unsaved: string[];
  /** Conversations, if the snapshot was made without any. */
  conversations: string[];
}

/**
 * What is in the folders of plugins and in no snapshot like this one, so that to replace it would lose it.
 *
 * @param unheld What else a snapshot of what is there does not hold, relative to the folder of all plugins.
 */
export function listKept(
  { format, hasTranscripts }: Pick<Manifest, "format" | "hasTranscripts">,
  { files, links, folders, leftOut }: FoundFiles,
  unheld: readonly string[],
): KeptPaths {
  const pathOf = ({ plugin, path }: { plugin: string; path: string }) =>
    `${plugin}/${path}`;
  const empty = folders.filter(({ isEmpty }) => isEmpty);
  const conversations = hasTranscripts
    ? []
    : [...files, ...links, ...empty].filter(({ plugin, path }) =>
        isConversation(plugin, path),
      );
  const others =
    format === FORMAT_WITHOUT_LINKS
      ? [...links, ...empty].filter((entry) => !conversations.includes(entry))
      : [];
  const unsaved = [
    ...leftOut.map(({ path }) => path),
    ...unheld,
    ...others.map(pathOf),
  ];
  return {
    unsaved: [...new Set(unsaved)],
    conversations: conversations.map(pathOf),
  };
}

/** Whether something belongs to a conversation. */
export function isConversation(plugin: string, path: string): boolean {
  const within = `${path}/`;
  for (
    let end = within.indexOf("/");
    end > 0;
    end = within.indexOf("/", end + 1)
  )
    if (holdsConversations(plugin, within.slice(0, end))) return true;
  return false;
}

/** Knows where something of a snapshot will be, so that nothing else can stay there. */
export class TakenPaths {
  /** Files and links; nothing can be below one. */
  readonly #ends = new Set<string>();
  readonly #folders = new Set<string>();

  add(entry: ListedEntry): void {
    const path = `${entry.plugin}/${entry.path}`;
    const isEnd = isFile(entry) || isLink(entry);
    (isEnd ? this.#ends : this.#folders).add(path);
    for (const folder of parentsOf(path)) this.#folders.add(folder);
  }

  /** Whether a file or link of the snapshot is at the very path. */
  hasEnd(path: string): boolean {
    return this.#ends.has(path);
  }

  /** @param path Relative to the folder of all plugins. */
  has(path: string): boolean {
    if (this.#ends.has(path) || this.#folders.has(path)) return true;
    for (const folder of parentsOf(path))
      if (this.#ends.has(folder)) return true;
    return false;
  }
}

/** The folders that something is in, the nearest first. */
export function* parentsOf(path: string): Generator<string> {
  for (let end = path.lastIndexOf("/"); end > 0;) {
    const folder = path.slice(0, end);
    yield folder;
    end = folder.lastIndexOf("/");
  }
}
