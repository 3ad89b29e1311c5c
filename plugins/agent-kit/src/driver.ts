import type { AgentSession } from "./agent-session.ts";
import type { AgentCapabilities } from "./capabilities.ts";
import type { DriverListener } from "./driver-events.ts";
import type {
  AgentScreen,
  CliCommand,
  OpenScreen,
  OpenSession,
  TerminalProgram,
} from "./open-session.ts";

/** Implements the protocol of one kind of agent CLI. */
export interface AgentDriver {
  /** Name in the configuration's `driver`: kebab-case. */
  readonly name: string;
  /** What the protocol supports, for a CLI that has not been started. */
  readonly capabilities: AgentCapabilities;
  /**
   * Files and folders, relative to the working folder, that would make the CLI run something. One that begins with `^`
   * is also looked for in every parent folder.
   */
  readonly trustPaths: readonly string[];
  /**
   * Arguments with which every CLI of this driver prints its version and exits, placed after those of its {@link
   * CliSettings}. Without them a CLI's version is queried only if its settings say how.
   */
  readonly versionArguments?: readonly string[];
  /**
   * Starts the CLI and opens a conversation. Events go to `listener`. Rejects with a readable message if the CLI does
   * not start or does not speak its protocol; `signal` aborts the start and ends what was started.
   */
  open(
    input: OpenSession,
    listener: DriverListener,
    signal: AbortSignal,
  ): Promise<AgentSession>;
  /** Command that continues a conversation on the CLI's own screen. Missing where the capability is false. */
  screen?(input: OpenScreen, signal: AbortSignal): Promise<AgentScreen>;
  /** Command of the CLI's own login. Missing where the capability is false. */
  login?(command: CliCommand): TerminalProgram;
  /**
   * Whether the CLI's own record of a conversation contains a message of the user, which was sent at `since` and never
   * confirmed. `null` if the record does not show it. Only called while no process of the CLI has the conversation
   * open. Missing where no record can be read: such a message is not sent again, and the user is asked to do so.
   */
  holdsPrompt?(input: {
    sessionId: string;
    resumeKey: string | null;
    command: Pick<CliCommand, "env">;
    cwd: string;
    /** As it was sent. */
    text: string;
    /** RFC 3339. */
    since: string;
  }): Promise<boolean | null>;
  /**
   * Absolute path of the file in which the CLI stores a conversation, `null` if there is none (yet). Missing where the
   * capability is false.
   */
  nativeRecord?(input: {
    sessionId: string;
    resumeKey: string | null;
    command: Pick<CliCommand, "env">;
    cwd: string;
  }): Promise<string | null>;
}
