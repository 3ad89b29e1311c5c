/** As the daemon cuts a name that it makes a branch of. */
const MAX_SLUG = 48;

/** The end of a path, which is what tells folders apart: `…/work/gantry`. */
export function toShortFolder(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length <= 2) return path;
  return `…/${parts.slice(-2).join("/")}`;
}

/** The name of a folder, without the way to it. */
export function toFolderName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

/** Where an agent works, as short as it tells agents apart: the end of its folder, or the repository and branch of its worktree. */
export function describeFolder({
  cwd,
  worktree,
}: {
  cwd: string;
  worktree: { repository: string; branch: string } | null;
}): string {
  if (!worktree) return toShortFolder(cwd);
  return `${toFolderName(worktree.repository)} · ${worktree.branch}`;
}

/** The branch that a worktree gets for an agent of this name, if there is none of that name yet; `undefined` without a letter to name it after. */
export function toBranchName(name: string): string | undefined {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .match(/[a-z0-9]+/g);
  if (!words) return undefined;
  const slug = words.join("-").slice(0, MAX_SLUG).replace(/-$/, "");
  return `agent/${slug}`;
}
