import { createHash, hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { PluginPackage } from "./manifest.ts";

/** What changes when the content of a file does: the beginning of its SHA-256, for an address. */
export async function shortDigestOf(file: string): Promise<string> {
  return hash("sha256", await readFile(file), "hex").slice(0, 12);
}

/**
 * SHA-256 over what runs of a plugin: its package.json and every file beside its server and its UI. Two copies of one
 * plugin have the same, and a changed byte gives another one.
 */
export async function digestOf({
  folder,
  server,
  ui,
}: PluginPackage): Promise<string> {
  const places = new Set(
    [server, ui].flatMap((file) => (file ? dirname(file) : [])),
  );
  const files = new Set([join(folder, "package.json")]);
  for (const place of places)
    for (const entry of await readdir(place, {
      recursive: true,
      withFileTypes: true,
    }))
      if (
        entry.isFile() &&
        !/(^|[\\/])node_modules([\\/]|$)/.test(
          entry.parentPath.slice(folder.length),
        )
      )
        files.add(join(entry.parentPath, entry.name));
  const whole = createHash("sha256");
  for (const file of [...files].sort()) {
    const content = await readFile(file);
    whole
      .update(`${relative(folder, file)}\0${content.length}\0`)
      .update(content);
  }
  return whole.digest("hex");
}
