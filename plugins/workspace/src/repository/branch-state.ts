import type { Git } from "@gantry/plugin";
import { readGit, splitFields } from "./read-git.ts";
import { readStatus } from "./status.ts";

/** A branch compared with the default branch. */
export interface BranchState {
  branch: string | null;
  /** Name of the default branch, `null` if it is not known. */
  base: string | null;
  ahead: number | null;
  behind: number | null;
  /** Files that differ from the last commit. */
  dirty: number;
}

/** Compares the branch that is checked out with the default branch. */
export async function readBranch(
  git: Git,
  folder: string,
): Promise<BranchState> {
  const { branch, head, items } = await readStatus(git, folder, "normal");
  const base = await findDefaultBranch(git, folder);
  const counts = { ahead: null, behind: null };
  if (base && head) {
    const { stdout } = await readGit(git, folder, "rev-list", [
      "--left-right",
      "--count",
      `${head}...${base.hash}`,
    ]);
    const [ahead, behind] = stdout.trim().split("\t").map(Number);
    Object.assign(counts, { ahead, behind });
  }
  return { branch, base: base?.name ?? null, ...counts, dirty: items.length };
}

/** The default branch of the remote, else a branch with one of the usual names. */
async function findDefaultBranch(
  git: Git,
  folder: string,
): Promise<{ name: string; hash: string } | undefined> {
  const names = [
    "origin/HEAD",
    "origin/main",
    "origin/master",
    "heads/main",
    "heads/master",
  ];
  const listed = await readGit(git, folder, "for-each-ref", [
    "--format=%(refname)%00%(objectname)%00%(symref)%00",
    ...names.map((name) =>
      name.startsWith("heads/") ? `refs/${name}` : `refs/remotes/${name}`,
    ),
  ]);
  const fields = splitFields(listed).map((field) => field.replace(/^\n/, ""));
  const found = new Map<string, { name: string; hash: string }>();
  for (let at = 0; at + 3 <= fields.length; at += 3) {
    const [ref = "", hash = "", target = ""] = fields.slice(at, at + 3);
    const name = (target || ref).replace(/^refs\/(heads|remotes)\//, "");
    found.set(ref.replace(/^refs\/(remotes\/)?/, ""), { name, hash });
  }
  return names.map((name) => found.get(name)).find((base) => base);
}
