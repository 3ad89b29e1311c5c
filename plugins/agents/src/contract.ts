import { defineEvent, defineService } from "@gantry/plugin";
import type { AgentDriver, AgentUsage, PromptImage } from "@gantry/agent-kit";

/** Settings of a new agent that belongs to an automation. */
export interface AutomationAgentInput {
  automationId: string;
  name: string;
  /** Name of the CLI; the default one if `null`. */
  cli: string | null;
  /** Name of the model as the CLI knows it; the CLI's default if `null`. */
  model: string | null;
  /** Absolute path of its folder; `null` creates one under the home. */
  cwd: string | null;
  /** Keeps it from changing files, if its CLI supports that; default `false`. Only used when the agent is created. */
  readOnly?: boolean;
}

/** New settings of the agent of an automation. */
export interface AutomationAgentUpdate extends Omit<
  AutomationAgentInput,
  "cli"
> {
  agentId: string;
  /** Name of the CLI; the default one if `null`, unchanged if missing. */
  cli?: string | null;
}

/** How permission requests are answered during a run, which has no user to ask. */
export interface UnattendedPolicy {
  /**
   * - `reject` refuses all requests.
   * - `allow-once` allows requests of the tools in `tools`, each for one time, and refuses all others.
   * - `report-only` also allows requests that only read, and makes the CLI ask before every other action. With a CLI that
   *   cannot be made to ask, the run fails with `permission-needed`.
   */
  mode: "reject" | "allow-once" | "report-only";
  /** Names of tools, in any case. */
  tools: readonly string[];
}

/** One run of an agent on behalf of another plugin. */
export interface AgentRunInput {
  agentId: string;
  /** Id of the run, recorded with its turns. */
  runId: string;
  prompt: string;
  /** Starts a new session, so that the CLI knows nothing of earlier runs. */
  freshSession: boolean;
  /** Stops the run when its cost exceeds this many USD; `null` for no limit. */
  maxCostUsd: number | null;
  /** Time limit of the run in milliseconds. */
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
  /** The final message, or a description of the failure for the user. */
  message: string;
  sessionId: string | null;
  usage: AgentUsage;
  /** Titles of the permission requests that the policy answered; at most 100. */
  permissionsAsked: readonly string[];
  /** Titles of the permission requests that the policy refused. */
  permissionsRefused: readonly string[];
}

/** Runs agents for other plugins, such as the automations. */
export interface AgentRuns {
  /** Creates the agent of an automation and returns its id. The agent is closed until its first run. */
  createAgent(
    input: AutomationAgentInput,
    signal: AbortSignal,
  ): Promise<{ agentId: string }>;
  /** Changes the settings of the agent of an automation. */
  updateAgent(input: AutomationAgentUpdate, signal: AbortSignal): Promise<void>;
  /** Removes all agents of an automation, with their conversations and the folders that were created for them. */
  removeAgents(
    input: { automationId: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** The state of an agent, to check before a run starts. */
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
  /**
   * Runs one prompt to its end, then closes the agent. An abort ends the CLI's process tree, and the outcome is
   * `cancelled`.
   */
  run(input: AgentRunInput, signal: AbortSignal): Promise<AgentRunOutcome>;
  /**
   * The recorded usage of the turns of a run, as `GET /api/usage` counts it; `null` if none of its turns has ended. After
   * a crash, interrupted turns are recorded before this service is available again.
   */
  recall(
    input: { runId: string },
    signal: AbortSignal,
  ): Promise<{ usage: AgentUsage; sessionId: string | null } | null>;
}

/** Token of the service {@link AgentRuns}. */
export const AgentRuns = defineService<AgentRuns>("agents.runs@1");

/** An open question of an agent: a permission request or a question with options. */
export interface AgentDialog {
  id: string;
  agentId: string;
  kind: "permission" | "question";
  title: string;
  /** Details to read before answering, such as the command. Plain text. */
  body: string;
  options: { id: string; label: string; kind: "allow" | "reject" | "other" }[];
  /** Whether free text is accepted as an answer. */
  takesText: boolean;
}

/** Sends messages to agents and answers their questions, for other plugins such as the Inbox and snippets. */
export interface AgentMessages {
  /** Queues a message and starts a closed agent for it. */
  prompt(
    input: {
      agentId: string;
      message: string;
      kind: "prompt" | "steer" | "follow_up";
      /**
       * The session of the agent that receives it, such as that of a run; the current session if missing. A `steer` always
       * goes to the turn in progress. Rejects with `AGENT_SESSION_UNKNOWN` (409) if the agent has no such session,
       * `AGENT_UNSUPPORTED` (501) if its CLI cannot resume sessions, and `AGENT_IN_TERMINAL` (409) if the agent is open in
       * a terminal with another session.
       */
      sessionId?: string;
      /** Pictures of up to 4 MiB each. Rejects with `AGENT_IMAGE_INVALID` (400) if one is not a valid picture. */
      images?: readonly PromptImage[];
      /** Where the message comes from, such as the name of the plugin; stored with it. */
      source: string;
    },
    signal: AbortSignal,
  ): Promise<{ taskId: string; delivery: "sent" | "queued" }>;
  /**
   * Starts the agent and continues, in the same session, a turn that a stop or a crash of the daemon cut off. Idempotent:
   * a second call returns the same task. Rejects with `TURN_NOT_CUT_OFF` (409) if the conversation has continued since.
   */
  continueTurn(
    input: { agentId: string; turnId: string },
    signal: AbortSignal,
  ): Promise<{ taskId: string }>;
  /**
   * Answers an open dialog with exactly one of `optionId`, `value` and `cancelled: true`. Rejects with `DIALOG_CLOSED`
   * (409) if it is no longer open, and `DIALOG_ANSWER_INVALID` (400) if the answer does not fit the question.
   */
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
  /** Name, folder and state of an agent; `null` if there is no such agent. */
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

/** Token of the service {@link AgentMessages}. */
export const AgentMessages = defineService<AgentMessages>("agents.messages@1");

/** Description of an agent for other plugins. */
export interface AgentBrief {
  id: string;
  name: string;
  /** Absolute path of its folder. */
  cwd: string;
  /** Name of its CLI. */
  cli: string;
  state: "open" | "closed";
  /** `waiting` while a question of the agent is open. A closed agent is `idle`. */
  activity: "idle" | "working" | "waiting";
}

/** Counts of the messages to an agent. */
export interface AgentDeliveries {
  /** Number of messages by status. */
  tasks: Record<
    "queued" | "delivering" | "delivered" | "failed" | "cancelled",
    number
  >;
  /** Number of delivered messages by the way in which they reached the CLI. */
  ways: Record<"protocol" | "receiver" | "paste", number>;
  /** The way in which the next message would be delivered. */
  way: "protocol" | "receiver" | "paste";
}

/** Looks up agents, for plugins that list them or serve data of them. */
export interface AgentDirectory {
  /**
   * One agent. Rejects with `AGENT_NOT_FOUND` (404). Listen to {@link AgentChanged} and {@link AgentDeleted} to be
   * notified of changes.
   */
  get(input: { agentId: string }, signal: AbortSignal): Promise<AgentBrief>;
  /**
   * The parent of the folders of agents without a project. It may be inside the daemon's home, whose other folders agents
   * may not use.
   */
  workFolder(
    input: Record<string, never>,
    signal: AbortSignal,
  ): Promise<{ path: string }>;
  /** Counts the messages to an agent. Rejects with `AGENT_NOT_FOUND` (404). */
  countDeliveries(
    input: { agentId: string },
    signal: AbortSignal,
  ): Promise<AgentDeliveries>;
  /** All agents, or those in one state; newest first. */
  list(
    input: { state?: "open" | "closed" },
    signal: AbortSignal,
  ): Promise<{ items: AgentBrief[] }>;
}

/** Token of the service {@link AgentDirectory}. */
export const AgentDirectory =
  defineService<AgentDirectory>("agents.directory@1");

/** Emitted when an agent was created. The subject is the agent's id. */
export const AgentCreated = defineEvent<{ name: string; cli: string }>(
  "agents.agent-created",
  "An agent was created.",
);
/** Emitted when fields of an agent changed. `fields` holds their names; the subject is the agent's id. */
export const AgentChanged = defineEvent<{ fields: string[] }>(
  "agents.agent-changed",
  "A field of an agent changed: its name, state, activity, usage, last message.",
);
/** Emitted when an agent was deleted. The subject is the agent's id. */
export const AgentDeleted = defineEvent<{ name: string }>(
  "agents.agent-deleted",
  "An agent was forgotten.",
);
/** Emitted when the plan of an agent changed. `items` is its number of steps; the subject is the agent's id. */
export const AgentChecklistChanged = defineEvent<{ items: number }>(
  "agents.checklist-changed",
  "The plan of an agent changed.",
);
/**
 * Emitted when a turn ended. `runId` is the run of an automation that it belongs to, if any; `usage` is its cost. The
 * subject is the agent's id.
 */
export const TurnFinished = defineEvent<{
  turnId: string;
  runId: string | null;
  stopReason: "end" | "cancelled" | "refused" | "error";
  usage: AgentUsage;
}>("agents.turn-finished", "An agent's turn ended, with or without an answer.");
/** Emitted when a CLI reported usage of a turn after its end. The subject is the agent's id. */
export const TurnCharged = defineEvent<{
  turnId: string;
  runId: string | null;
  /** The usage to add to the turn's. */
  usage: AgentUsage;
}>(
  "agents.turn-charged",
  "A turn that had ended turned out to have cost more.",
);
/** Emitted when a stop or a crash of the daemon cut a turn off. The subject is the agent's id. */
export const TurnCutOff = defineEvent<{
  turnId: string;
  /** The run of an automation that the turn belongs to, if any. */
  runId: string | null;
  agentName: string;
  /** The first 300 characters of the turn's prompt; empty if the agent began the turn by itself. */
  prompt: string;
}>("agents.turn-cut-off", "A stop or a crash of the daemon cut a turn off.");
/** Emitted when the conversation continued after a turn that was cut off. The subject is the agent's id. */
export const TurnResumed = defineEvent<{ turnId: string }>(
  "agents.turn-resumed",
  "The conversation went on after a turn that was cut off.",
);
/** Emitted when an agent asks a question and waits for the answer. The subject is the agent's id. */
export const DialogOpened = defineEvent<AgentDialog & { agentName: string }>(
  "agents.dialog-opened",
  "An agent asks for a permission or a choice and waits.",
);
/**
 * Emitted when a question of an agent was answered or withdrawn. `answer` is the answer as text, `null` without one. The
 * subject is the agent's id.
 */
export const DialogClosed = defineEvent<{
  dialogId: string;
  answer: string | null;
}>("agents.dialog-closed", "A question of an agent was answered or is moot.");
/** Emitted when a workspace was added. The subject is the workspace's id. */
export const WorkspaceAdded = defineEvent<{ name: string; path: string }>(
  "agents.workspace-added",
  "A folder to make agents in was added.",
);

export {
  AGENT_DIALOG_ERRORS,
  AGENT_MESSAGE_ERRORS,
  AGENT_START_ERRORS,
  AUTOMATION_AGENT_ERRORS,
  agentErrors,
} from "./rejections.ts";

/** The first version of the service that drivers are added with. Its drivers bring no CLIs. */
export interface EarlierAgentDrivers {
  /** Adds a driver until `signal` aborts. Rejects with `AGENT_DRIVER_TAKEN` (409) if its name is taken. */
  add(driver: AgentDriver, signal: AbortSignal): Promise<void>;
}

/**
 * Token of the service {@link EarlierAgentDrivers}.
 *
 * @deprecated Use `AgentDrivers` of `@gantry/agent-kit`, which is `agents.drivers@2`.
 */
export const EarlierAgentDrivers =
  defineService<EarlierAgentDrivers>("agents.drivers@1");

/** A completion that another plugin offers after a slash in the composer. */
export interface SlashItem {
  /** Without the slash. */
  name: string;
  description: string;
  source: "snippet" | "template";
}

/** A source of completions after a slash in the composer of an agent. */
export interface SlashSource {
  /** The completions for an agent. A source that fails or takes longer than 2 s is left out of the list. */
  list(
    input: { agentId: string },
    signal: AbortSignal,
  ): Promise<{ items: SlashItem[] }>;
}

/** Registers completion sources of other plugins for `GET /api/agents/{id}/slash`. */
export interface AgentSlash {
  /** Adds a source until `signal` aborts; usually the plugin's own signal. */
  add(source: SlashSource, signal: AbortSignal): Promise<void>;
}

/** Token of the service {@link AgentSlash}. */
export const AgentSlash = defineService<AgentSlash>("agents.slash@1");

export type { AgentUsage, PromptImage, ToolServer } from "@gantry/agent-kit";
export { AgentTools } from "./tool-offer.ts";
export type { ToolOffer } from "./tool-offer.ts";
export { TurnCharges } from "./turn-charges.ts";
export type { EarlierUsageSums, TurnCharge } from "./turn-charges.ts";
