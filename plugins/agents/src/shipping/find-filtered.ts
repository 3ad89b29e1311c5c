import type { Git } from "@gantry/git-kit";
import { toPathText, toUtf8 } from "../repository/path-text.ts";
import { readGit } from "../repository/read-git.ts";

const MAX_LISTED_BYTES = 64 * 1024 * 1024;

/**
 * The files that are stored through a filter. Without it, others would get other files.
 *
 * @param bytes Paths, with a character for each byte.
 * @param filters Names of those to look for.
 */
export async function findFiltered(
  git: Git,
  root: string,
  bytes: readonly string[],
  filters: readonly string[],
): Promise<{ path: string; filter: string }[]> {
  if (bytes.length === 0 || filters.length === 0) return [];
  const { stdout } = await readGit(
    git,
    root,
    "check-attr",
    ["-z", "--stdin", "filter"],
    {
      input: toNameList(bytes),
      encoding: "latin1",
      maxOutputBytes: MAX_LISTED_BYTES,
    },
  );
  const fields = stdout.split("\0");
  const found: { path: string; filter: string }[] = [];
  for (let at = 0; at + 3 <= fields.length; at += 3) {
    const [name = "", , filter = ""] = fields.slice(at, at + 3);
    if (filters.includes(filter))
      found.push({ path: toPathText(name), filter: toUtf8(filter) });
  }
  return found;
}

/** Names as git reads them from its input with `-z`. */
export function toNameList(names: readonly string[]): Buffer {
  return Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1");
}
