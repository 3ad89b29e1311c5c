import type { Log } from "@gantry/plugin";
import type { AgentRecord } from "../records/agent-record.ts";
import type { ShellCommands } from "../shell/shell-commands.ts";

/** Time to install what a project needs. */
const SETUP_TIMEOUT_MS = 60 * 60 * 1000;

/** Dependencies of {@link WorktreeSetups}. */
interface WorktreeSetupsHost {
  shell: ShellCommands;
  log: Log;
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

  /** Starts a command. Its output is in the conversation, also if it fails; messages are sent after its end in either case. */
  start(agent: AgentRecord, command: string): void {
    const { shell, log, pump } = this.#host;
    this.#running.add(agent.id);
    void shell
      .run(agent, command, SETUP_TIMEOUT_MS)
      .catch((error: unknown) =>
        log.warn("A setup command did not run", {
          ...{ agent: agent.id, cause: String(error) },
        }),
      )
      .finally(() => {
        this.#running.delete(agent.id);
        pump(agent.id);
      });
  }
}
