import type { RunningProcess, RunOptions } from "@gantry/plugin";
import type { ToolServer } from "./tool-server.ts";

/** How a CLI is started, from the configuration. */
export interface CliCommand {
  /** Absolute path of the executable. */
  file: string;
  /** Arguments placed before the driver's own. */
  args: readonly string[];
  /** Added to the environment. */
  env: Readonly<Record<string, string>>;
  /** Output of `--version`, `null` if it was not understood. */
  version: string | null;
}

/** State of an earlier process of the same conversation. */
export interface ResumePoint {
  sessionId: string;
  /** The {@link AgentSession.resumeKey} that the driver returned. */
  resumeKey: string | null;
  /** The last cumulative cost that the CLI reported, for drivers that compute differences. */
  reportedCostUsd: number | null;
  /**
   * Continue with a copy and leave this conversation as it is; `null` continues the conversation itself. Only set where
   * the capabilities include `clone`, and with a number only where they include `fork`.
   */
  fork: SessionFork | null;
}

/** What a copy of a conversation contains. */
export interface SessionFork {
  /** Number of the user's messages to keep, each with what follows it; `null` keeps all. */
  keepPrompts: number | null;
  /**
   * The end of the first message that is left out, for a CLI that counts messages differently; `null` if all are kept.
   */
  leftOut?: string | null;
}

/** How a conversation is opened. */
export interface OpenSession {
  agentId: string;
  /** Name of the CLI in the configuration. */
  cli: string;
  command: CliCommand;
  /** Absolute folder that the CLI works in. */
  cwd: string;
  /** The conversation to continue; `null` starts a new one. */
  resume: ResumePoint | null;
  model: string | null;
  thinking: string | null;
  extraPrompt: string | null;
  readOnly: boolean;
  /**
   * Ask before each tool that may change something or run a program, whatever the user has allowed permanently; what
   * can never be allowed may be refused without asking. Only set where the capability is true. A driver that finds that
   * its CLI does not comply rejects {@link AgentDriver.open}.
   */
  asksFirst: boolean;
  /**
   * Variables for the CLI's process, which override those of the command. With {@link asksFirst} they keep the CLI's
   * git calls from running programs that a repository names; otherwise empty.
   */
  readingEnvironment: Readonly<Record<string, string>>;
  /**
   * Stop a turn as soon as this process has spent this many USD; no limit by default. A CLI without such a limit is
   * stopped when it reports its spending.
   */
  maxCostUsd?: number | null;
  /** The user trusts the contents of the folder. Otherwise the CLI must not run any of it. */
  trusted: boolean;
  /**
   * Tool servers of other plugins, for this session only. Their `env` may reach the CLI through the environment or a
   * private file, but never through arguments. Empty unless the capabilities include `tools`, and with {@link
   * asksFirst}. Names are unique, and no variable has two values.
   */
  tools: readonly ToolServer[];
  /** A folder for the driver's files of this agent, mode 0700. */
  folder: string;
  /**
   * Starts {@link command} in {@link cwd}, with arguments that replace the command's and variables added to the
   * daemon's. Use it instead of `run`: the folder's trust was checked immediately before. The process ends with the
   * agents plugin at the latest.
   *
   * @throws `PROCESS_NOT_STARTED` (502)
   */
  start(
    args: readonly string[],
    env?: RunOptions["env"],
  ): Promise<RunningProcess>;
}

/** A program to run in a terminal. */
export interface TerminalProgram {
  /** Absolute path. */
  file: string;
  args: readonly string[];
  /** Added to the environment. */
  env: Readonly<Record<string, string>>;
}

/** Options for opening a CLI's screen: those of a session, and where a receiver connects. */
export interface OpenScreen extends OpenSession {
  /** Where a receiver inside the screen registers; a driver whose CLI can run one passes this on. */
  receiver: { url: string; token: string };
}

/** The command of a CLI's screen. */
export interface AgentScreen extends TerminalProgram {
  /** The conversation on the screen; `null` if only the CLI knows it. */
  session: { sessionId: string; resumeKey: string | null } | null;
  /** Whether the screen runs a receiver. */
  hasReceiver: boolean;
}
