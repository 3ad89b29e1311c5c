import { rename, writeFile } from "node:fs/promises";

/** Writes a file so that a reader finds all of it or nothing. */
export async function writeWhole(
  path: string,
  content: Uint8Array,
): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, path);
}
