import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** What a home holds of agents, by names: files and folders of the plugin and of its work, and keys in the store. */
export interface HomeListing {
  files: string[];
  keys: string[];
}

/**
 * Store keys that outlive an agent: spending stays counted, folders stay known, and no restore sends again what was sent. Of that
 * only ids of tasks are kept.
 */
const KEPT_KEYS =
  /^agents:(turn|usage-sum|usage-\w+|workspace|@machine:settled-task)[~:]/;

/** Lists a home, of a daemon that runs or not. */
export async function listHome(home: string): Promise<HomeListing> {
  const files: string[] = [];
  for (const folder of ["data/agents", "work"]) {
    const entries = await readdir(join(home, folder), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => []);
    for (const { parentPath, name } of entries)
      files.push(relative(home, join(parentPath, name)));
  }
  return { files: files.sort(), keys: readKeys(home) };
}

function readKeys(home: string): string[] {
  const database = new DatabaseSync(join(home, "store.sqlite"), {
    readOnly: true,
  });
  try {
    const rows = database.prepare("SELECT key FROM entries").all();
    return rows
      .map(({ key }) => String(key))
      .filter((key) => key.startsWith("agents:") && !KEPT_KEYS.test(key))
      .sort();
  } finally {
    database.close();
  }
}
