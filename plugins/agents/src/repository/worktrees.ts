import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { Git } from "@gantry/git-kit";
import type { Collection } from "@gantry/plugin";
import type { AgentRecord } from "../records/agent-record.ts";
import { splitFields } from "./read-git.ts";

const MAX_WORKTREES = 200;
const READ_AT_ONCE = 500;

/** An agent that works in a working tree. */
export interface WorktreeAgent {
  id: string;
  name: string;
  state: AgentRecord["state"];
}

/** A working tree of a repository, and the agents that work in it. */
export interface Worktree {
  path: string;
  /** `null` before the first commit. */
  head: string | null;
  /** `null` if no branch is checked out. */
  branch: string | null;
  /** It is the one that the agent's folder is in. */
  current: boolean;
  agents: WorktreeAgent[];
}

/** The working trees of a repository with the agents that live in them. */
export async function readWorktrees(
  { git, agents }: { git: Git; agents: Collection<AgentRecord> },
  folder: string,
): Promise<Worktree[]> {
  const [listed, all, root] = await Promise.all([
    git(folder, "worktree", ["--porcelain", "-z"]),
    agentsByFolder(agents),
    git.root(folder),
  ]);
  if (listed.code !== 0) return [];
  const trees = parseWorktrees(splitFields(listed)).slice(0, MAX_WORKTREES);
  const here = trees.find(({ path }) => path === root);
  if (here) here.current = true;
  const roots = await Promise.all(all.map(({ cwd }) => findTree(git, cwd)));
  for (const [index, { cwd, agent }] of all.entries())
    (roots[index] === undefined
      ? innermost(trees, cwd)
      : trees.find(({ path }) => path === roots[index])
    )?.agents.push(agent);
  return trees;
}

/** The working tree that a folder is in, empty for one that is not read, `undefined` where there is none. */
async function findTree(git: Git, cwd: string): Promise<string | undefined> {
  const root = await git.root(cwd);
  if (root !== undefined) return root;
  return (await git.refusal(cwd)) === undefined ? undefined : "";
}

/** Reads what `git worktree list --porcelain -z` prints. */
export function parseWorktrees(fields: readonly string[]): Worktree[] {
  const trees: Worktree[] = [];
  for (const field of fields) {
    const space = field.indexOf(" ");
    const [name, value] = [field.slice(0, space), field.slice(space + 1)];
    const tree = trees.at(-1);
    if (name === "worktree")
      trees.push({
        path: value,
        head: null,
        branch: null,
        current: false,
        agents: [],
      });
    else if (tree && name === "HEAD" && !/^0+$/.test(value)) tree.head = value;
    else if (tree && name === "branch")
      tree.branch = value.replace(/^refs\/heads\//, "");
  }
  return trees;
}

/** Of a folder that is gone: one may lie in another. */
function innermost(
  trees: readonly Worktree[],
  path: string,
): Worktree | undefined {
  return trees
    .filter((tree) => path === tree.path || path.startsWith(tree.path + sep))
    .sort((one, other) => other.path.length - one.path.length)[0];
}

async function agentsByFolder(
  agents: Collection<AgentRecord>,
): Promise<{ cwd: string; agent: WorktreeAgent }[]> {
  const found: { cwd: string; agent: WorktreeAgent }[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await agents.list({
      limit: READ_AT_ONCE,
      ...(cursor ? { cursor } : {}),
    });
    const places = await Promise.all(
      page.items.map(({ cwd }) => realpath(cwd).catch(() => cwd)),
    );
    for (const [index, { id, name, state }] of page.items.entries())
      found.push({ cwd: places[index] ?? "", agent: { id, name, state } });
    cursor = page.nextCursor;
  }
  return found;
}
