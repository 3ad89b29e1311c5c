import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Entries of a view that link into the repository. Missing on purpose: the configuration, hooks, and
 * `objects/info/alternates`.
 */
const LINKS = [
  "HEAD",
  "info/attributes",
  "info/exclude",
  "info/grafts",
  // Used by git-lfs, which may be a filter of the user's own configuration.
  "lfs",
  "logs",
  "objects/info/commit-graph",
  "objects/info/commit-graphs",
  "objects/pack",
  "packed-refs",
  "refs",
  "reftable",
  "shallow",
  "worktrees",
  ...Array.from(
    { length: 256 },
    (_, byte) => `objects/${byte.toString(16).padStart(2, "0")}`,
  ),
];

/**
 * Creates a view of a repository, for use as `GIT_COMMON_DIR`. It appears complete and is never changed; if another
 * process creates the same view first, that one stays.
 *
 * @param path Where the view is created.
 * @param common The folder of the repository that its working trees share.
 * @param settings The configuration that git reads, in Latin-1.
 */
export async function createView(
  path: string,
  common: string,
  settings: string,
): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    for (const folder of ["info", "objects/info"])
      await mkdir(join(draft, folder), { recursive: true, mode: 0o700 });
    await Promise.all([
      writeFile(join(draft, "config"), settings, {
        encoding: "latin1",
        mode: 0o600,
      }),
      // git treats a link to a missing file as a missing file.
      ...LINKS.map((name) => symlink(join(common, name), join(draft, name))),
    ]);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST" && code !== "ENOTEMPTY") throw error;
  }
}
