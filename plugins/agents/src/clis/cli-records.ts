import type { Log } from "@gantry/plugin";
import type { AgentRecord } from "../records/agent-record.ts";
import type { CliCatalog } from "./cli-catalog.ts";

/** A conversation of a CLI, and its folder. */
type Conversation = Pick<
  AgentRecord,
  "cli" | "cwd" | "sessionId" | "resumeKey"
>;

/** Reads the CLIs' own records of conversations. */
export class CliRecords {
  readonly #catalog: CliCatalog;
  readonly #log: Log;

  constructor(catalog: CliCatalog, log: Log) {
    this.#catalog = catalog;
    this.#log = log;
  }

  /**
   * Whether the CLI's record holds a message of the user that was sent at `since` (RFC 3339). `null` if that is not
   * known. Call it while no process uses the conversation.
   */
  async holdsPrompt(
    { cli, cwd, sessionId, resumeKey }: Conversation,
    text: string,
    since: string,
  ): Promise<boolean | null> {
    const driver = this.#catalog.knownDriver(cli);
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
