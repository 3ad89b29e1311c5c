import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { Git } from "@gantry/plugin";
import type {
  AgentBrief,
  AgentDirectory,
} from "@gantry/plugin-agents/contract";
import { splitFields } from "./read-git.ts";

const MAX_WORKTREES = 200;

/** An agent that works in a working tree. */
export interface WorktreeAgent {
  id: string;
  name: string;
  state: AgentBrief["state"];
}

/** A working tree of a repository, with the agents in it. */
export interface Worktree {
  path: string;
  /** `null` before the first commit. */
  head: string | null;
  /** `null` if no branch is checked out. */
  branch: string | null;
  /** Whether the agent's folder is in it. */
  current: boolean;
  agents: WorktreeAgent[];
}

/** Dependencies of {@link readWorktrees}. */
export interface WorktreesHost {
  git: Git;
  directory: AgentDirectory;
  signal: AbortSignal;
}

/** Reads the working trees of a repository, with the agents that work in each. */
export async function readWorktrees(
  host: WorktreesHost,
  folder: string,
): Promise<Worktree[]> {
  const [listed, all] = await Promise.all([
    host.git(folder, "worktree", ["--porcelain", "-z"]),
    agentsByFolder(host),
  ]);
  if (listed.code !== 0) return [];
  const trees = parseWorktrees(splitFields(listed)).slice(0, MAX_WORKTREES);
  const here = innermost(trees, folder);
  if (here) here.current = true;
  for (const { cwd, agent } of all) innermost(trees, cwd)?.agents.push(agent);
  return trees;
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

/** The innermost tree that a path lies in, since one may lie in another. */
function innermost(
  trees: readonly Worktree[],
  path: string,
): Worktree | undefined {
  return trees
    .filter((tree) => path === tree.path || path.startsWith(tree.path + sep))
    .sort((one, other) => other.path.length - one.path.length)[0];
}

async function agentsByFolder({
  directory,
  signal,
}: WorktreesHost): Promise<{ cwd: string; agent: WorktreeAgent }[]> {
  const { items } = await directory.list({}, signal);
  return await Promise.all(
    items.map(async ({ cwd, id, name, state }) => ({
      cwd: await realpath(cwd).catch(() => cwd),
      agent: { id, name, state },
    })),
  );
}
