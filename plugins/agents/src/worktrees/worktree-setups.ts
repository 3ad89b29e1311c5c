import type { Log } from "@gantry/plugin";
import { AgentChanged } from "../contract.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { ShellCommands } from "../shell/shell-commands.ts";

/** Time to install what a project needs. */
const SETUP_TIMEOUT_MS = 60 * 60 * 1000;
const READ_AT_ONCE = 100;

/** Dependencies of {@link WorktreeSetups}. */
interface WorktreeSetupsHost {
  records: Records;
  shell: ShellCommands;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  /** Sends what waited for the end of a setup. */
  pump(agentId: string): void;
}

/** Commands that prepare new working trees. Messages to an agent wait until its command has ended. */
export class WorktreeSetups {
  readonly #host: WorktreeSetupsHost;
  readonly #running = new Set<string>();

  constructor(host: WorktreeSetupsHost) {
    this.#host = host;
  }

  isRunning(agentId: string): boolean {
    return this.#running.has(agentId);
  }

  /** Starts again what a stop of the daemon cut off. To be called before a message can be sent. */
  async resume(): Promise<void> {
    const { agents } = this.#host.records;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await agents.list({
        index: "preparing",
        limit: READ_AT_ONCE,
        ...(cursor ? { cursor } : {}),
      });
      for (const agent of page.items) this.start(agent);
      cursor = page.nextCursor;
    }
  }

  /**
   * Starts the command of an agent's working tree, if that is not prepared yet. Its output is in the conversation, also if it
   * fails; messages are sent after its end in either case.
   */
  start(agent: AgentRecord): void {
    const { id, worktree } = agent;
    if (worktree?.state !== "preparing" || worktree.setup === null) return;
    this.#running.add(id);
    void this.#run(agent, worktree.setup);
  }

  async #run(agent: AgentRecord, command: string): Promise<void> {
    const { shell, log, signal, pump } = this.#host;
    const { id } = agent;
    try {
      await shell.run(agent, command, SETUP_TIMEOUT_MS);
    } catch (error) {
      if (!signal.aborted)
        log.warn("A setup command did not run", {
          ...{ agent: id, cause: String(error) },
        });
    }
    // The next start of the daemon runs it again.
    if (signal.aborted) return;
    await this.#noteEnd(id).catch((error: unknown) =>
      log.error("The end of a setup could not be noted", { agent: id }, error),
    );
    this.#running.delete(id);
    pump(id);
  }

  async #noteEnd(agentId: string): Promise<void> {
    await this.#host.records.agents.update(agentId, (agent) =>
      agent.worktree?.state === "preparing"
        ? {
            record: {
              ...agent,
              worktree: { ...agent.worktree, state: "ready" },
            },
            events: [AgentChanged.of(agentId, { fields: ["worktree"] })],
          }
        : undefined,
    );
  }
}
