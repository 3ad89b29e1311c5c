import type { Git } from "@gantry/git-kit";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import { isRead, readGit, splitFields } from "./read-git.ts";
import { isDirty, readStatus } from "./status.ts";

const READ_AT_ONCE = 500;

/** How many messages to an agent there are of each status, and in which ways those that were delivered came to it. */
export interface TaskCounts {
  tasks: Record<TaskRecord["status"], number>;
  ways: Record<NonNullable<TaskRecord["via"]>, number>;
}

export async function countTasks(
  { tasks }: Records,
  agentId: string,
): Promise<TaskCounts> {
  const counts: TaskCounts = {
    tasks: { queued: 0, delivering: 0, delivered: 0, failed: 0, cancelled: 0 },
    ways: { protocol: 0, receiver: 0, paste: 0 },
  };
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await tasks.list({
      index: "agent",
      prefix: [agentId],
      limit: READ_AT_ONCE,
      ...(cursor ? { cursor } : {}),
    });
    for (const { status, via } of page.items) {
      counts.tasks[status] += 1;
      if (status === "delivered" && via) counts.ways[via] += 1;
    }
    cursor = page.nextCursor;
  }
  return counts;
}

/** How a branch stands to the one that work ends up in. */
export interface BranchState {
  branch: string | null;
  /** Name of the default branch, `null` if none can be told. */
  base: string | null;
  ahead: number | null;
  behind: number | null;
  /** Files that are not as the last commit has them; `null` if none is known to be, and some were not looked at. */
  dirty: number | null;
}

/** Reads how the branch stands that is checked out. */
export async function readBranch(
  git: Git,
  folder: string,
): Promise<BranchState> {
  const status = await readStatus(git, folder);
  const { branch, head, items } = status;
  const base = await findDefaultBranch(git, folder);
  const counts = { ahead: null, behind: null };
  if (base && head) {
    const counted = await git(folder, "rev-list", [
      "--left-right",
      "--count",
      `${head}...${base.hash}`,
    ]);
    const [ahead, behind] = counted.stdout.trim().split("\t").map(Number);
    // A commit that is not in the clone is no reason to tell nothing of the branch.
    if (isRead(counted)) Object.assign(counts, { ahead, behind });
  }
  const dirty = isDirty(status) === null ? null : items.length;
  return { branch, base: base?.name ?? null, ...counts, dirty };
}

/** What the remote calls its default branch, else one of the common names. */
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

/** Names of the branches, without a remote's, that work ends up in. */
export async function readDefaultBranches(
  git: Git,
  folder: string,
): Promise<string[]> {
  const base = await findDefaultBranch(git, folder);
  const name = base?.name.replace(/^origin\//, "");
  return [...new Set([...(name ? [name] : []), "main", "master"])];
}
