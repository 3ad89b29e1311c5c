import type { RunningProcess, RunOptions } from "@gantry/plugin";
import type { AgentUsage } from "./agent-usage.ts";
import type {
  BackgroundWork,
  ContextFill,
  DriverCommand,
  PlanItem,
  TurnProblem,
  UsageWindow,
} from "./driver-reports.ts";
import type { TerminalProgram } from "./terminal-program.ts";
import type { ToolServer } from "./tool-server.ts";

/** What a CLI can do through its driver. What is false is answered 501 `AGENT_UNSUPPORTED`, which names it. */
export interface AgentCapabilities {
  /** Continues an earlier conversation in a new process. */
  resume: boolean;
  /** Takes a message into the turn that is running. */
  steer: boolean;
  /** Takes pictures with a prompt. */
  images: boolean;
  /** Asks before it uses a tool. */
  permissions: boolean;
  /**
   * Started with {@link OpenSession.asksFirst}, it changes nothing and runs no program that it has not asked for, whatever
   * the user has allowed it permanently. A run that only reports is refused without it.
   */
  asksFirst: boolean;
  /** Lets the model be chosen. */
  model: boolean;
  /** Lets the depth of thinking be chosen. */
  thinking: boolean;
  /** Takes instructions of ours beside its own. */
  extraPrompt: boolean;
  /** Can be kept from changing files. */
  readOnly: boolean;
  /** Shrinks its conversation when it is asked to. */
  compact: boolean;
  /** Has slash commands, which are sent as prompts. */
  commands: boolean;
  /** Continues from before an earlier message of the user. */
  fork: boolean;
  /** Continues a copy of the whole conversation. */
  clone: boolean;
  /** Has a screen of its own that continues the same conversation in a terminal. */
  terminal: boolean;
  /** Has a login of its own that runs in a terminal. */
  login: boolean;
  /** Keeps a file of its own with the conversation. */
  nativeExport: boolean;
  /** Takes tool servers of other plugins, see {@link OpenSession.tools}. */
  tools: boolean;
  /** What it reports of spending. */
  cost: "usd" | "tokens" | "none";
}

/** Nothing: a driver spreads it and says what it can do beside it, so that a later capability does not break it. */
export const NO_CAPABILITIES: AgentCapabilities = {
  resume: false,
  steer: false,
  images: false,
  permissions: false,
  asksFirst: false,
  model: false,
  thinking: false,
  extraPrompt: false,
  readOnly: false,
  compact: false,
  commands: false,
  fork: false,
  clone: false,
  terminal: false,
  login: false,
  nativeExport: false,
  tools: false,
  cost: "none",
};

/** How a CLI is started, from the configuration. */
export interface CliCommand {
  /** Absolute path of the executable. */
  file: string;
  /** Arguments that come before the driver's own. */
  args: readonly string[];
  /** Added to the environment. */
  env: Readonly<Record<string, string>>;
  /** What `--version` said, `null` if nothing was understood. */
  version: string | null;
}

/** A picture that goes with a prompt. */
export interface PromptImage {
  mimeType: string;
  /** Base64. */
  data: string;
}

/** What a driver needs to know of an earlier process of the same conversation. */
export interface ResumePoint {
  sessionId: string;
  /** What the driver itself gave as {@link AgentSession.resumeKey}. */
  resumeKey: string | null;
  /** The cumulative cost that the CLI reported last, for drivers that count by difference. */
  reportedCostUsd: number | null;
  /**
   * Continue a copy and leave this conversation as it is; `null` continues the conversation itself. Only asked for where the
   * capabilities say `clone`, and with a number where they say `fork`.
   */
  fork: SessionFork | null;
}

/** What a copy of a conversation holds. */
export interface SessionFork {
  /** How many messages of the user are kept, with what follows each of them; `null` keeps all. */
  keepPrompts: number | null;
  /** The end of the first message that is left out, for a CLI that counts messages otherwise; `null` if all are kept. */
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
  /** The conversation to continue; `null` begins one. */
  resume: ResumePoint | null;
  model: string | null;
  thinking: string | null;
  extraPrompt: string | null;
  readOnly: boolean;
  /**
   * Ask before each tool that may change something or run a program, whatever the user has allowed permanently; what is
   * never to be allowed may be refused without a question. Only set where the capabilities say so. A driver that finds out
   * that its CLI does not keep to it rejects {@link AgentDriver.open}.
   */
  asksFirst: boolean;
  /**
   * Variables for the CLI's process, which override those of the command. With {@link asksFirst} they keep the CLI's calls
   * of git from running what a repository names; else there are none.
   */
  readingEnvironment: Readonly<Record<string, string>>;
  /**
   * Stop a turn as soon as this process has spent this many USD; no limit unless said. A CLI that has no such limit of its
   * own is stopped when it reports its spending.
   */
  maxCostUsd?: number | null;
  /** Tool servers of other plugins, for this session; none with {@link asksFirst}. Their `env` is never in arguments. */
  tools: readonly ToolServer[];
  /** The user trusts what the folder brings along. Without it the CLI must not run any of that. */
  trusted: boolean;
  /** A folder of the driver's own for this agent, mode 0700. */
  folder: string;
  /**
   * Starts {@link command} in {@link cwd}, with arguments in place of the command's and variables beside the daemon's.
   * The folder was checked for trust right before. The process ends with the agents plugin at the latest.
   *
   * @throws `PROCESS_NOT_STARTED` (502)
   */
  start(
    args: readonly string[],
    env?: RunOptions["env"],
  ): Promise<RunningProcess>;
}

/** An option of a {@link DriverDialog}. */
export interface DriverDialogOption {
  id: string;
  label: string;
  kind:
    "allow-once" | "allow-always" | "reject-once" | "reject-always" | "other";
}

/** A question that a CLI asks and waits for. */
export interface DriverDialog {
  id: string;
  kind: "permission" | "question";
  title: string;
  body: string;
  /** Name of the tool that wants to run, `null` if the CLI does not say. */
  tool: string | null;
  /** What it is to be run with, as JSON. Missing if the CLI does not say. */
  input?: string;
  options: DriverDialogOption[];
  takesText: boolean;
}

/** An answer to a {@link DriverDialog}: an option, a text, or neither. */
export type DialogAnswer =
  | { kind: "option"; optionId: string }
  | { kind: "text"; value: string }
  | { kind: "cancelled" };

/** How the screen of a CLI is opened: as a session is, and whether something in it can take messages. */
export interface OpenScreen extends OpenSession {
  /** Where a receiver inside the screen announces itself; a driver whose CLI can run one passes this on. */
  receiver: { url: string; token: string };
}

/** The screen of a CLI, ready to be run. */
export interface AgentScreen extends TerminalProgram {
  /** The conversation that the screen continues; `null` if it is known only to the CLI. */
  session: { sessionId: string; resumeKey: string | null } | null;
  /** Whether a receiver was put into it. */
  hasReceiver: boolean;
}

/** What shrinking a conversation did. Unknown figures are `null`. */
export interface CompactOutcome {
  compacted: boolean;
  tokensBefore: number | null;
  tokensAfter: number | null;
}

/**
 * Something that happened within a turn. `turn` is the id that {@link AgentSession.prompt} was given, or one of the
 * driver's own for a turn that the CLI began by itself. What is said or done outside of turns, with `null` or for a turn
 * that is over, becomes a turn of its own; the other events of a turn that is over are ignored.
 */
export type TurnEvent = { turn: string | null } & (
  | /** The CLI began to work, asked or by itself. */
    { type: "turn-started" }
    /** The turn is over. `error` is set with the reason `error`. */
  | {
      type: "turn-ended";
      stopReason: "end" | "cancelled" | "refused" | "error";
      /** The final message: what was said after the last tool call. */
      answer: string;
      error: string | null;
      /** With `error`, what the user can do something about. */
      problem?: TurnProblem | null;
    }
  /** A piece of a text that is still growing. */
  | { type: "delta"; channel: "text" | "thinking"; text: string }
  /** The whole of a text, in place of the pieces before it. */
  | { type: "message"; channel: "text" | "thinking"; text: string }
  /** A tool runs. Told again under the same `callId` when more is known of what it does. */
  | {
      type: "tool-started";
      callId: string;
      name: string;
      title: string;
      input: string;
    }
  /** The output so far, whole, for a CLI that repeats it. */
  | { type: "tool-progress"; callId: string; output: string }
  /** More of the output. */
  | { type: "tool-output"; callId: string; text: string }
  | { type: "tool-ended"; callId: string; failed: boolean; output: string }
);

/** Something that happened in a session, within the turn `turn` or, where that is `null`, outside of turns. */
export type SessionEvent = { turn: string | null } & (
  | /** What was spent since the report before. `reportedCostUsd` is the CLI's own running total, if it has one. */
    { type: "usage"; usage: AgentUsage; reportedCostUsd: number | null }
  | { type: "dialog-opened"; dialog: DriverDialog }
  /** The CLI does not wait for this answer any more. */
  | { type: "dialog-closed"; dialogId: string }
  /** The plan that the CLI follows now, all of it. */
  | { type: "plan"; items: readonly PlanItem[] }
  /** Something for the user to read. */
  | { type: "notice"; text: string }
);

/** What holds for the session from now on, whatever turn it is in. */
export type SessionFact =
  /** The slash commands that the CLI takes now, all of them. */
  | { type: "commands"; commands: readonly DriverCommand[] }
  /** The model that answers, as the CLI calls it. */
  | { type: "model"; model: string }
  /** The conversation is another one now. */
  | { type: "session"; sessionId: string; resumeKey: string | null }
  /** How full the model's context is with the conversation. A size of `null` leaves the one that was reported before. */
  | ({ type: "context" } & ContextFill)
  /**
   * Background work began, or gave a sign of life. The answer to a prompt is not complete before all work has ended that began in
   * its turn, and the CLI has reported it in a turn of its own.
   */
  | { type: "work-started"; work: BackgroundWork }
  /** Such work is over, however it ended. */
  | { type: "work-ended"; workId: string }
  /** The limits of the subscription that the CLI uses, all that are known. */
  | { type: "windows"; windows: readonly UsageWindow[] };

/** What a driver tells. It gives events in order. */
export type DriverEvent = TurnEvent | SessionEvent | SessionFact;

/** Takes the events of a session. The driver reads on when the promise is settled. */
export type DriverListener = (event: DriverEvent) => void | Promise<void>;

/** How a session ended. */
export interface SessionEnd {
  /** `protocol`: the CLI broke its own wire, and the driver ended it. */
  reason: "exit" | "protocol";
  /** For the user: exit code or signal and the last words on stderr, or what was wrong on the wire. */
  message: string;
}

/** One live conversation with a CLI. One prompt at a time; the daemon queues the others. */
export interface AgentSession {
  readonly sessionId: string;
  /** Whatever the driver needs to find the conversation again; stored with the agent. */
  readonly resumeKey: string | null;
  /** What this very CLI can do, known after it started. */
  readonly capabilities: AgentCapabilities;
  /** What the CLI says of its own version, `null` if nothing. */
  readonly version: string | null;
  /** Id of the process that holds the conversation, if there is one. */
  readonly pid: number | null;
  /** Resolves when the process is gone; rejects never. */
  readonly ended: Promise<SessionEnd>;
  /**
   * Hands a prompt over, whose turn has the id `turn`. Resolves only when the CLI has confirmed that it has it, in
   * whatever way its wire has for that; the turn then ends with `turn-ended`. Rejects if the CLI refused it, or ended, or
   * `signal` aborted before that.
   */
  prompt(
    input: { text: string; images: readonly PromptImage[]; turn: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** As {@link prompt}, into the turn that is running. */
  steer(
    input: { text: string; images: readonly PromptImage[] },
    signal: AbortSignal,
  ): Promise<void>;
  /** Asks the CLI to stop its turn. Resolves when it was told; the turn ends with `turn-ended`. */
  abort(signal: AbortSignal): Promise<void>;
  /** Asks the CLI to stop background work. Missing where the CLI cannot. */
  stopWork?(workId: string, signal: AbortSignal): Promise<void>;
  /** Answers a dialog that is open. */
  answer(
    dialogId: string,
    answer: DialogAnswer,
    signal: AbortSignal,
  ): Promise<void>;
  /** Shrinks the conversation; only called between turns. Missing where the capabilities say so. */
  compact?(signal: AbortSignal): Promise<CompactOutcome>;
  /** Ends the process tree in good order: stdin closed, then TERM, then KILL. Twice is harmless. */
  end(): Promise<void>;
  /** Ends the process tree at once. */
  kill(): Promise<void>;
}

/** Speaks the wire of one kind of agent CLI. */
export interface AgentDriver {
  /** Name in the configuration's `driver`: kebab-case. */
  readonly name: string;
  /** What the wire can carry, for a CLI that has not been started. */
  readonly capabilities: AgentCapabilities;
  /**
   * Files and folders, relative to the working folder, that would make the CLI run something. One that begins with
   * `^` is looked for in every folder above as well.
   */
  readonly trustPaths: readonly string[];
  /**
   * Starts the CLI and opens a conversation. Events go to `listener`. Rejects with a readable message if the CLI does
   * not start or does not speak its wire; `signal` ends the start and whatever was started.
   */
  open(
    input: OpenSession,
    listener: DriverListener,
    signal: AbortSignal,
  ): Promise<AgentSession>;
  /** How the CLI's own screen continues a conversation. Missing where the capabilities say so. */
  screen?(input: OpenScreen, signal: AbortSignal): Promise<AgentScreen>;
  /** The CLI's own login. Missing where the capabilities say so. */
  login?(command: CliCommand): TerminalProgram;
  /**
   * Whether the CLI's own record of a conversation holds a message of the user, which was handed over at `since` and
   * never confirmed. `null` if the record does not tell. Only called while no process of the CLI has the conversation.
   * Missing where no record can be read: such a message is not sent again, and the user is asked to.
   */
  holdsPrompt?(input: {
    sessionId: string;
    resumeKey: string | null;
    command: Pick<CliCommand, "env">;
    cwd: string;
    /** As it was handed over. */
    text: string;
    /** RFC 3339. */
    since: string;
  }): Promise<boolean | null>;
  /**
   * Absolute path of the file in which the CLI keeps a conversation, `null` if there is none (yet). Missing where the
   * capabilities say so.
   */
  nativeRecord?(input: {
    sessionId: string;
    resumeKey: string | null;
    command: Pick<CliCommand, "env">;
    cwd: string;
  }): Promise<string | null>;
}
