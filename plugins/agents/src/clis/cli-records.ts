import type { Log } from "@gantry/plugin";
import type { AgentRecord } from "../records/agent-record.ts";
import type { CliCatalog } from "./cli-catalog.ts";

/** A conversation of a CLI, and where it is. */
type Conversation = Pick<
  AgentRecord,
  "cli" | "cwd" | "sessionId" | "resumeKey"
>;

/** What the CLIs themselves keep of conversations. */
export class CliRecords {
  readonly #catalog: CliCatalog;
  readonly #log: Log;

  constructor(catalog: CliCatalog, log: Log) {
    this.#catalog = catalog;
    this.#log = log;
  }

  /**
   * Whether the CLI has lost the conversation of a closed agent, so that its next message begins a new one. False if that is
   * unknown. Starts no process.
   */
  async isLost(
    agent: Conversation & Pick<AgentRecord, "state" | "fork" | "lastMessage">,
  ): Promise<boolean> {
    const { cli, cwd, sessionId, resumeKey } = agent;
    // A copy has no record of its own yet, and neither has a conversation in which nothing was said.
    if (agent.state !== "closed" || agent.fork || !agent.lastMessage)
      return false;
    const driver = this.#catalog.driver(cli);
    if (!driver?.nativeRecord || sessionId === null) return false;
    const command = { env: this.#catalog.environment(cli) };
    try {
      const asked = { sessionId, resumeKey, command, cwd };
      return (await driver.nativeRecord(asked)) === null;
    } catch (error) {
      this.#warn(cli, error);
      return false;
    }
  }

  /**
   * Whether a conversation holds a message of the user that was handed over at `since` (RFC 3339). `null` if that cannot
   * be told. To be asked while no process has the conversation.
   */
  async holdsPrompt(
    { cli, cwd, sessionId, resumeKey }: Conversation,
    text: string,
    since: string,
  ): Promise<boolean | null> {
    const driver = this.#catalog.driver(cli);
    if (!driver?.holdsPrompt || sessionId === null) return null;
    const command = { env: this.#catalog.environment(cli) };
    const asked = { sessionId, resumeKey, command, cwd, text, since };
    try {
      return await driver.holdsPrompt(asked);
    } catch (error) {
      this.#warn(cli, error);
      return null;
    }
  }

  #warn(cli: string, error: unknown): void {
    const fields = { cli, reason: String(error) };
    this.#log.warn("The record of a conversation cannot be read", fields);
  }
}
