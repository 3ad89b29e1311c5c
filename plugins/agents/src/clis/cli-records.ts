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
      const fields = { cli, reason: String(error) };
      this.#log.warn("The record of a conversation cannot be read", fields);
      return null;
    }
  }
}
