import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { PluginPackage } from "./manifest.ts";

/** Returns the first 12 hex digits of the SHA-256 of a file, as a version in addresses. */
export async function shortDigestOf(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex")
    .slice(0, 12);
}

/**
 * Returns the SHA-256 of a plugin's package.json and of every file beside its server and its UI. Copies of a plugin have the
 * same digest.
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
  const hash = createHash("sha256");
  for (const file of [...files].sort()) {
    const content = await readFile(file);
    hash
      .update(`${relative(folder, file)}\0${content.length}\0`)
      .update(content);
  }
  return hash.digest("hex");
}
