import { defineEvent, defineService } from "@gantry/plugin";
import type { AgentDriver, PromptImage } from "./driver.ts";
import type { TurnProblem } from "./driver-reports.ts";
import type { AgentUsage } from "./agent-usage.ts";

export type { AgentUsage } from "./agent-usage.ts";

/** What is needed to make an agent that belongs to an automation. */
export interface AutomationAgentInput {
  automationId: string;
  name: string;
  /** Name of the CLI; the first that is installed if `null`. */
  cli: string | null;
  model: string | null;
  /** Absolute folder; `null` makes one under the home. */
  cwd: string | null;
  /** Keeps it from changing files, where its CLI can be kept from it; no unless said. Only heeded when it is made. */
  readOnly?: boolean;
}

/** A change of the agent of an automation. */
export interface AutomationAgentUpdate extends Omit<
  AutomationAgentInput,
  "cli"
> {
  agentId: string;
  /** Name of the CLI; the one that a new agent would get if `null`. */
  cli?: string | null;
}

/** How a permission request is answered when no user is there to answer it. */
export interface UnattendedPolicy {
  /**
   * `allow-once` answers yes for the tools that are named, and no for all others. `report-only` answers yes for what
   * only reads as well, and has the CLI ask before everything else; with a CLI that does not ask first, the run fails as
   * `permission-needed`.
   */
  mode: "reject" | "allow-once" | "report-only";
  tools: readonly string[];
}

/** One run of an agent for another plugin. */
export interface AgentRunInput {
  agentId: string;
  /** Id of the run, recorded with its turns. */
  runId: string;
  prompt: string;
  /** Begins a fresh session, so that nothing of an earlier run is known. */
  freshSession: boolean;
  /** Stop when spending passes this many USD; `null` for no cap. */
  maxCostUsd: number | null;
  timeoutMs: number;
  permissions: UnattendedPolicy;
}

/** Why a run did not end with an answer. */
export type AgentRunFailure =
  | "cost-cap"
  | "cli-missing"
  | "timeout"
  | "permission-needed"
  /** It was opened in a terminal before the run could begin. */
  | "agent-in-terminal"
  | "agent-error"
  | "target-gone"
  | "trust-required"
  | "cancelled";

/** How a run ended. */
export interface AgentRunOutcome {
  /** `null` if it ended with an answer. */
  failure: AgentRunFailure | null;
  /** The final message, or what is known of the failure in words for the user. */
  message: string;
  sessionId: string | null;
  usage: AgentUsage;
  /** Titles of permission requests that were answered by the policy; the first 100. */
  permissionsAsked: readonly string[];
  /** Those of them that it refused. */
  permissionsRefused: readonly string[];
  /** With a failure, what the user can do something about. */
  problem?: TurnProblem | null;
}

/** Runs agents for other plugins: the automations. */
export interface AgentRuns {
  /** Makes the agent of an automation, closed. Gives its id. */
  createAgent(
    input: AutomationAgentInput,
    signal: AbortSignal,
  ): Promise<{ agentId: string }>;
  /** Renames or re-aims the agent of an automation. It keeps its CLI if none is given. */
  updateAgent(input: AutomationAgentUpdate, signal: AbortSignal): Promise<void>;
  /** Removes all agents of an automation, with what they said and the folders that were made for them. */
  removeAgents(
    input: { automationId: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** What can be known before a run starts. */
  inspect(
    input: { agentId: string },
    signal: AbortSignal,
  ): Promise<{
    exists: boolean;
    cliInstalled: boolean;
    busy: boolean;
    inTerminal: boolean;
    reportsCost: boolean;
  }>;
  /** Runs one prompt to its end; the agent is closed afterwards. An abort ends its process tree: `cancelled`. */
  run(input: AgentRunInput, signal: AbortSignal): Promise<AgentRunOutcome>;
  /**
   * What is recorded of the turns of a run, `null` if none of them has ended. It is what `GET /api/usage` counts. A turn
   * that a crash cut off is recorded before this service is there again.
   */
  recall(
    input: { runId: string },
    signal: AbortSignal,
  ): Promise<{ usage: AgentUsage; sessionId: string | null } | null>;
}

export const AgentRuns = defineService<AgentRuns>("agents.runs@1");

/** An open question of an agent: a permission request or a question with options. */
export interface AgentDialog {
  id: string;
  agentId: string;
  kind: "permission" | "question";
  title: string;
  /** More to read before answering, such as the command. Plain text. */
  body: string;
  options: { id: string; label: string; kind: "allow" | "reject" | "other" }[];
  /** Whether a free text is an answer too. */
  takesText: boolean;
}

/** Talks to agents for other plugins: the Inbox, snippets. */
export interface AgentMessages {
  /** Queues a message as the composer does; starts a closed agent. */
  prompt(
    input: {
      agentId: string;
      message: string;
      kind: "prompt" | "steer" | "follow_up";
      /**
       * The session of the agent that it goes to, such as the one of a run; the one at hand if missing. A `steer` goes
       * into the turn at hand all the same. Rejects with `AGENT_SESSION_UNKNOWN` (409) if the agent has none such,
       * `AGENT_UNSUPPORTED` (501) if its CLI cannot continue one, and `AGENT_IN_TERMINAL` (409) if the agent is open in
       * a terminal with another one.
       */
      sessionId?: string;
      /** Pictures of up to 4 MiB each; rejects with `AGENT_IMAGE_INVALID` (400) for what is none. */
      images?: readonly PromptImage[];
      source: string;
    },
    signal: AbortSignal,
  ): Promise<{ taskId: string; delivery: "sent" | "queued" }>;
  /**
   * Continues a turn that a stop or a crash of the daemon cut off, in the same session; starts the agent. Twice is as once. Rejects
   * with `TURN_NOT_CUT_OFF` (409) if the conversation has continued.
   */
  continueTurn(
    input: { agentId: string; turnId: string },
    signal: AbortSignal,
  ): Promise<{ taskId: string }>;
  /** Answers an open dialog. Rejects with `DIALOG_CLOSED` (409) if it is no longer open. */
  answerDialog(
    input: {
      agentId: string;
      dialogId: string;
      optionId?: string;
      value?: string;
      cancelled?: boolean;
    },
    signal: AbortSignal,
  ): Promise<void>;
  /** Name, folder and state of an agent, `null` if there is none. */
  describe(
    input: { agentId: string },
    signal: AbortSignal,
  ): Promise<{
    id: string;
    name: string;
    cwd: string;
    cli: string;
    state: "open" | "closed";
  } | null>;
}

export const AgentMessages = defineService<AgentMessages>("agents.messages@1");

/** What other plugins may know of an agent. */
export interface AgentBrief {
  id: string;
  name: string;
  cwd: string;
  cli: string;
  state: "open" | "closed";
  /** A closed agent is `idle`. */
  activity: "idle" | "working" | "waiting";
}

/** All agents, for plugins that count or name them. */
export interface AgentDirectory {
  /** All agents, or those in one state; the newest first. */
  list(
    input: { state?: "open" | "closed" },
    signal: AbortSignal,
  ): Promise<{ items: AgentBrief[] }>;
}

export const AgentDirectory =
  defineService<AgentDirectory>("agents.directory@1");

export const AgentCreated = defineEvent<{ name: string; cli: string }>(
  "agents.agent-created",
  "An agent was created.",
);
export const AgentChanged = defineEvent<{ fields: string[] }>(
  "agents.agent-changed",
  "A field of an agent changed: its name, state, activity, usage, last message.",
);
export const AgentDeleted = defineEvent<{ name: string }>(
  "agents.agent-deleted",
  "An agent was forgotten.",
);
export const AgentChecklistChanged = defineEvent<{ items: number }>(
  "agents.checklist-changed",
  "The plan of an agent changed.",
);
export const TurnFinished = defineEvent<{
  turnId: string;
  runId: string | null;
  stopReason: "end" | "cancelled" | "refused" | "error";
  usage: AgentUsage;
}>("agents.turn-finished", "An agent's turn ended, with or without an answer.");
export const TurnChangesChanged = defineEvent<{ turnId: string }>(
  "agents.turn-changes-changed",
  "What a turn changed in its agent's folder is known, or was undone. The subject is the agent.",
);
export const UnaskedTurnFinished = defineEvent<{
  turnId: string;
  agentName: string;
  /** The beginning of it; empty if it said nothing. */
  answer: string;
  error: string | null;
}>(
  "agents.unasked-turn-finished",
  "A turn ended that an agent began by itself, such as a report of background work. The subject is the agent.",
);
export const TurnBlocked = defineEvent<{
  turnId: string;
  /** The run of an automation that the turn was of. */
  runId: string | null;
  agentName: string;
  cli: string;
  kind: TurnProblem["kind"];
  /** When a limit is over, RFC 3339; `null` if it is not known. */
  resetsAt: string | null;
  message: string;
}>(
  "agents.turn-blocked",
  "A turn failed because of something that the user can do something about, such as a usage limit. The subject is the agent.",
);
export const TurnCharged = defineEvent<{
  turnId: string;
  runId: string | null;
  /** What was added. */
  usage: AgentUsage;
}>(
  "agents.turn-charged",
  "A turn that had ended turned out to have cost more.",
);
export const TurnCutOff = defineEvent<{
  turnId: string;
  /** The run of an automation that the turn was of. */
  runId: string | null;
  agentName: string;
  /** The beginning of what the agent was at; empty if it began by itself. */
  prompt: string;
}>("agents.turn-cut-off", "A stop or a crash of the daemon cut a turn off.");
export const TurnResumed = defineEvent<{ turnId: string }>(
  "agents.turn-resumed",
  "The conversation was continued after a turn that was cut off.",
);
export const DialogOpened = defineEvent<AgentDialog & { agentName: string }>(
  "agents.dialog-opened",
  "An agent asks for a permission or a choice and waits.",
);
export const DialogClosed = defineEvent<{
  dialogId: string;
  answer: string | null;
}>("agents.dialog-closed", "A question of an agent was answered or is moot.");
export const WorkspaceAdded = defineEvent<{ name: string; path: string }>(
  "agents.workspace-added",
  "A folder to make agents in was added.",
);

export { TURN_PROBLEM_KINDS } from "./driver-reports.ts";
export type {
  BackgroundWork,
  ContextFill,
  DriverCommand,
  PlanItem,
  TurnProblem,
  UsageWindow,
} from "./driver-reports.ts";
export type {
  AgentCapabilities,
  AgentDriver,
  AgentScreen,
  AgentSession,
  CliCommand,
  CompactOutcome,
  DialogAnswer,
  DriverDialog,
  DriverDialogOption,
  DriverEvent,
  DriverListener,
  OpenScreen,
  OpenSession,
  PromptImage,
  ResumePoint,
  SessionEnd,
  SessionEvent,
  SessionFact,
  SessionFork,
  TurnEvent,
} from "./driver.ts";

export { NO_CAPABILITIES } from "./driver.ts";
export type { TerminalProgram } from "./terminal-program.ts";

export { encloseText } from "./enclose-text.ts";
export { AgentServers } from "./agent-servers.ts";
export type { AgentServer } from "./agent-servers.ts";
export { AgentTools } from "./tool-offer.ts";
export type { ToolOffer } from "./tool-offer.ts";
export type { ToolServer } from "./tool-server.ts";
export {
  AGENT_DIALOG_ERRORS,
  AGENT_MESSAGE_ERRORS,
  AGENT_START_ERRORS,
  AUTOMATION_AGENT_ERRORS,
} from "./rejections.ts";

/** Takes drivers of other plugins. */
export interface AgentDrivers {
  /**
   * Adds a driver; a CLI of the configuration with `driver: "<name>"` then uses it. Before this resolves, the driver's
   * `holdsPrompt` decides whether messages that a killed daemon was handing over were delivered. The driver is taken away when
   * `signal` aborts: hand over the plugin's own. Drivers hold functions, so this service stays in this process.
   *
   * Rejects with `AGENT_DRIVER_TAKEN` (409) if the name is taken.
   */
  add(driver: AgentDriver, signal: AbortSignal): Promise<void>;
}

export const AgentDrivers = defineService<AgentDrivers>("agents.drivers@1");

/** Something to type after a slash that another plugin offers. */
export interface SlashItem {
  /** Without the slash. */
  name: string;
  description: string;
  source: "snippet" | "template";
}

/** Offers things to type after a slash in the composer of an agent. */
export interface SlashSource {
  list(
    input: { agentId: string },
    signal: AbortSignal,
  ): Promise<{ items: SlashItem[] }>;
}

/** Takes sources of other plugins for `GET /api/agents/{id}/slash`. */
export interface AgentSlash {
  /** Adds a source. It is taken away when `signal` aborts: hand over the plugin's own. */
  add(source: SlashSource, signal: AbortSignal): Promise<void>;
}

export const AgentSlash = defineService<AgentSlash>("agents.slash@1");
