import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { WholeHome } from "@gantry/plugin";
import { codeOf } from "../archive/refusals.ts";

/**
 * Whether a home has neither records nor files of plugins, as on a new machine. What the daemon and the backup write by themselves
 * does not count: no user would miss it. Rejects with what reading the store throws.
 */
export async function isEmptyHome(
  home: WholeHome,
  signal: AbortSignal,
): Promise<boolean> {
  const image = await home.readStore(signal);
  try {
    for await (const { name, entries } of image.namespaces)
      for await (const batch of entries)
        if (batch.length > 0 && !OWN.has(name)) return false;
  } finally {
    await image.close();
  }
  return !(await hasFiles(home.data, OWN));
}

const OWN: ReadonlySet<string> = new Set(["kernel", "backup"]);

async function hasFiles(
  folder: string,
  except: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: unknown) => {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    },
  );
  for (const entry of entries) {
    if (except.has(entry.name)) continue;
    if (!entry.isDirectory()) return true;
    if (await hasFiles(join(folder, entry.name))) return true;
  }
  return false;
}
