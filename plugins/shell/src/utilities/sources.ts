import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** CSS with the values of the theme; empty without a folder or a file. */
export async function readTheme(folder: string | undefined): Promise<string> {
  if (folder === undefined) return "";
  return readFile(join(folder, "theme.css"), "utf8").catch(() => "");
}

/** Names in a folder that may be class names. */
export async function readCandidates(folder: string): Promise<string[]> {
  try {
    const text = await readFile(join(folder, "candidates.json"), "utf8");
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list)
      ? list.filter((item): item is string => typeof item === "string")
      : [];
  } catch {
    // A plugin without class names of its own has no such file.
    return [];
  }
}
