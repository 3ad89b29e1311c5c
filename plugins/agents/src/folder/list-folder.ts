import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import type { AgentFolder } from "./agent-folder.ts";
import { parsePath } from "./folder-path.ts";

/** More of one folder is not shown; the search finds the others. */
const MAX_ENTRIES = 10_000;

export const ENTRY_KINDS = ["folder", "file", "link", "other"] as const;

/** One thing in a folder. */
export interface FolderEntry {
  name: string;
  path: string;
  /** A link is told as such and not followed. */
  kind: (typeof ENTRY_KINDS)[number];
}

/** One level of a folder, folders first, each in the order of their names. */
export async function listFolder(
  folder: AgentFolder,
  asked: string,
): Promise<{ dir: string; items: FolderEntry[]; truncated: boolean }> {
  const dir = parsePath(asked).join("/");
  const opened = await folder.openFolder(asked);
  const items: FolderEntry[] = [];
  let truncated = false;
  try {
    for await (const entry of await opendir(opened.path, { bufferSize: 512 })) {
      truncated = items.length === MAX_ENTRIES;
      if (truncated) break;
      const { name } = entry;
      items.push({
        name,
        path: dir === "" ? name : `${dir}/${name}`,
        kind: kindOf(entry),
      });
    }
  } finally {
    await opened.handle.close();
  }
  const order = new Intl.Collator("en", { numeric: true });
  items.sort(
    (one, other) =>
      Number(other.kind === "folder") - Number(one.kind === "folder") ||
      order.compare(one.name, other.name),
  );
  return { dir, items, truncated };
}

function kindOf(entry: Dirent): FolderEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}
