import { rm } from "node:fs/promises";
import type { Log } from "@gantry/plugin";
import { AgentChanged } from "../contract.ts";
import type { AgentBook } from "../agents/agent-book.ts";
import type { AgentRemoval } from "../agents/agent-removal.ts";
import type { WorkFolders } from "../agents/work-folders.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { AgentRecord, AgentWorktree } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { WorktreeLoss, Worktrees } from "./worktrees.ts";
import type { WorktreeSetups } from "./worktree-setups.ts";

/** Dependencies of {@link AgentWorktrees}. */
interface AgentWorktreesHost {
  records: Records;
  book: AgentBook;
  fleet: Fleet;
  workFolders: WorkFolders;
  worktrees: Worktrees;
  removal: AgentRemoval;
  setups: WorktreeSetups;
  log: Log;
  /** Ends the screen of an agent that is open in a terminal. */
  closeScreen(agentId: string): Promise<void>;
  /** Ends the programs that the user runs for an agent, and resolves when they have ended. */
  endPrograms(agentId: string): Promise<void>;
}

/** Removes the working trees of agents that stay, and makes them again. */
export class AgentWorktrees {
  readonly #host: AgentWorktreesHost;

  constructor(host: AgentWorktreesHost) {
    this.#host = host;
  }

  /** What would be lost with the working tree of an agent; `null` if there is none. */
  async describe({ worktree }: AgentRecord): Promise<WorktreeLoss | null> {
    const { worktrees, workFolders } = this.#host;
    if (worktree === null || worktree.state === "removed") return null;
    const isThere = (await workFolders.identify(worktree.path)) !== null;
    return isThere ? await worktrees.describe(worktree) : null;
  }

  /**
   * Closes an agent and removes the files of its working tree. Its conversation stays, and its branch with all commits. Harmless
   * twice.
   *
   * @param discard Also if changes are lost that are in no commit.
   * @throws AGENT_NOT_FOUND, WORKTREE_KEPT
   */
  async remove(id: string, discard: boolean): Promise<AgentRecord> {
    const { book, fleet, workFolders, worktrees, log } = this.#host;
    const { closeScreen, endPrograms } = this.#host;
    const agent = await book.get(id);
    const { repository, state } = toWorktree(agent);
    if (state === "removed") return agent;
    // Before anything is closed for a request that is refused.
    await this.#check(agent, discard);
    let removed = agent;
    await fleet.stop(id, "Its worktree was removed.", async () => {
      await closeScreen(id);
      await endPrograms(id);
      const folder = await this.#check(agent, discard);
      if (folder) await workFolders.setAside(folder, id);
      removed = await this.#note(id, "removed");
    });
    await workFolders.clear(id).catch((error: unknown) =>
      log.warn("The files of a worktree are removed at the next start", {
        ...{ agent: id, cause: String(error) },
      }),
    );
    await worktrees.forgetGone(repository);
    return removed;
  }

  /**
   * Makes the working tree of an agent again that was removed, and prepares it.
   *
   * @throws AGENT_NOT_FOUND, WORKTREE_KEPT, WORKTREE_IMPOSSIBLE, GIT_BUSY, GIT_WRITE_FAILED
   */
  async makeAgain(id: string): Promise<AgentRecord> {
    const { book, fleet, worktrees, setups } = this.#host;
    let made: AgentRecord | undefined;
    await fleet.exclusively(id, async () => {
      const agent = await book.get(id);
      const worktree = toWorktree(agent);
      made = agent;
      if (worktree.state !== "removed") return;
      await worktrees.makeAgain(worktree);
      try {
        made = await this.#note(
          id,
          worktree.setup === null ? "ready" : "preparing",
        );
      } catch (error) {
        await rm(worktree.path, { recursive: true, force: true });
        throw error;
      }
      setups.start(made);
    });
    if (!made) throw errors.AGENT_NOT_FOUND({ id });
    return made;
  }

  /**
   * @returns the folder of the working tree; `null` if it is gone
   * @throws WORKTREE_KEPT if another agent needs it, or what is in no commit would be lost
   */
  async #check(agent: AgentRecord, discard: boolean) {
    const { removal, workFolders } = this.#host;
    const refuse = (reason: string) => errors.WORKTREE_KEPT({ reason });
    if ((await removal.workFolderOf(agent)) === null)
      throw refuse("Another agent works in it.");
    const folder = await workFolders.identify(toWorktree(agent).path);
    if (discard || folder === null) return folder;
    const changes = (await this.describe(agent))?.changes ?? 0;
    if (changes === 0) return folder;
    const files = changes === 1 ? "1 file has" : `${changes} files have`;
    throw refuse(
      `${files} changes that are in no commit. Commit them, or send "discard": true to lose them.`,
    );
  }

  async #note(id: string, state: AgentWorktree["state"]): Promise<AgentRecord> {
    const noted = await this.#host.records.agents.update(id, (agent) => ({
      record: { ...agent, worktree: { ...toWorktree(agent), state } },
      events: [AgentChanged.of(id, { fields: ["worktree"] })],
    }));
    if (!noted) throw errors.AGENT_NOT_FOUND({ id });
    return noted;
  }
}

function toWorktree({ worktree }: AgentRecord): AgentWorktree {
  if (!worktree)
    throw errors.WORKTREE_KEPT({
      reason: "The agent works in a folder that was there before it.",
    });
  return worktree;
}
