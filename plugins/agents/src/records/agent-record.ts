import { isIdentifier, type CollectionDefinition } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { TURN_PROBLEM_KINDS } from "../driver-reports.ts";
import { processIdentity } from "../live/process-identity.ts";
import { openWorkSchema } from "../live/open-work.ts";
import { usageSchema } from "../transcript/entry.ts";

/** An open question of an agent, as it is stored and as clients see it. */
export const dialogSchema = z.object({
  id: z.string(),
  agentId: z.string(),
  kind: z.enum(["permission", "question"]),
  title: z.string(),
  body: z.string(),
  options: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      kind: z.enum(["allow", "reject", "other"]),
    }),
  ),
  takesText: z.boolean(),
});

/** The turn that an agent is at, kept so that a crash leaves a turn that can be ended. */
export const runningTurnSchema = z.object({
  id: z.string(),
  taskId: z.string().nullable(),
  runId: z.string().nullable(),
  startedAt: timestamp,
});

/** A turn that a stop or a crash of the daemon cut off, until the conversation continues. */
export const cutOffSchema = z.object({
  turnId: z.string(),
  at: timestamp,
  /** The task of its prompt, if the CLI does not have it: it waits in the queue, and to continue is to start the agent. */
  queuedTaskId: z.string().nullable(),
  /** The task that continues it; `null` until the user asks for that. */
  continuedBy: z.string().nullable(),
});

export type CutOff = z.infer<typeof cutOffSchema>;

/** The agent's CLI has to be started again before it has the tools that it may use now. */
export const pendingRestartSchema = z.object({
  /** Ports of its servers, which would end with the CLI: it is not restarted by itself while there are any. */
  ports: z.array(z.int()),
});

/** Why the last turn failed, if the user can do something about it. */
export const problemSchema = z.object({
  kind: z.enum(TURN_PROBLEM_KINDS),
  turnId: z.string(),
  /** When a limit is over; `null` if it is not known. */
  resetsAt: timestamp.nullable(),
  message: z.string(),
});

/** How full the context of the model is with the conversation, as the CLI reported it last. */
export const contextSchema = z.object({
  usedTokens: z.number().nonnegative(),
  /** `null` if the CLI does not say. */
  sizeTokens: z.number().positive().nullable(),
});

/** The working tree that was made for an agent. */
export const worktreeSchema = z.object({
  /** Top folder of the working tree that it was made from. */
  repository: z.string(),
  branch: z.string(),
  /** Its own top folder. */
  path: z.string(),
  /** The command that prepares it. */
  setup: z.string().nullable().default(null),
  /** It is `preparing` until its setup has ended, and `removed` once its files are gone; the branch stays then. */
  state: z.enum(["preparing", "ready", "removed"]).default("ready"),
});

export type AgentWorktree = z.infer<typeof worktreeSchema>;

const settings = {
  name: z.string(),
  cli: z.string(),
  cwd: z.string(),
  workspaceId: z.string().nullable(),
  model: z.string().nullable(),
  thinking: z.string().nullable(),
  extraPrompt: z.string().nullable(),
  readOnly: z.boolean(),
  automationId: z.string().nullable(),
};

const state = {
  state: z.enum(["open", "closed"]),
  mode: z.enum(["managed", "terminal"]).nullable(),
  activity: z.enum(["idle", "working", "waiting"]),
  sessionId: z.string().nullable(),
  usage: usageSchema,
  terminalId: z.string().nullable(),
  /** At most 300 characters. */
  lastMessage: z.string().nullable(),
};

/** What the store holds of an agent. */
export const agentSchema = z.object({
  ...storedFields,
  ...settings,
  ...state,
  dialogs: z.array(dialogSchema),
  turn: runningTurnSchema.nullable(),
  cutOff: cutOffSchema.nullable().default(null),
  /** The background work of the CLI. */
  openWork: z.array(openWorkSchema).default([]),
  pendingRestart: pendingRestartSchema.nullable().default(null),
  problem: problemSchema.nullable().default(null),
  context: contextSchema.nullable().default(null),
  worktree: worktreeSchema.nullable().default(null),
  /** The driver's own way to find the conversation again. */
  resumeKey: z.string().nullable(),
  /** The conversation is to continue in a copy of the session above; `null` continues the session itself. */
  fork: z
    .object({
      keepPrompts: z.number().int().nonnegative().nullable(),
      leftOut: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** The running total that the CLI reported last for this conversation. */
  reportedCostUsd: z.number().nullable(),
  /** The CLI's own screen, while the agent is open in a terminal. */
  screen: z
    .object({
      /** Of the terminal; another one is not this screen. */
      incarnation: z.string(),
      /** Of the token of the receiver inside. */
      tokenHash: z.string(),
      /** The CLI in it, which outlives the daemon and the plugin that has terminals. */
      process: processIdentity.nullable().default(null),
    })
    .nullable()
    .default(null),
  /** The working folder was made for this agent and may go with it. */
  ownsFolder: z.boolean(),
});

export type AgentRecord = z.infer<typeof agentSchema>;
export type StoredDialog = z.infer<typeof dialogSchema>;
export type RunningTurn = z.infer<typeof runningTurnSchema>;

export const agentCollection: CollectionDefinition<AgentRecord> = {
  name: "agent",
  version: 1,
  schema: agentSchema,
  indexes: {
    open: (agent) => (agent.state === "open" ? [] : undefined),
    /** What a daemon that starts has to put right. */
    unfinished: (agent) =>
      agent.state === "open" || agent.turn !== null ? [] : undefined,
    automation: (agent) =>
      agent.automationId === null ? undefined : [agent.automationId],
    /** Whose setup has to run again if a stop of the daemon cut it off. */
    preparing: (agent) =>
      agent.worktree?.state === "preparing" ? [] : undefined,
  },
};

/** An agent as clients see it. */
export const agentView = z.object({
  ...storedFields,
  ...settings,
  ...state,
  /** The question that waits longest; `null` if there is none. */
  dialog: dialogSchema.nullable(),
  /** The turn that a stop or a crash of the daemon cut off; `null` once the conversation has continued. */
  cutOff: cutOffSchema.nullable(),
  /** The background work of the CLI, the oldest first. */
  openWork: z.array(openWorkSchema),
  /** The tools that it may use have changed, and its CLI was not restarted yet to have them; `null` otherwise. */
  pendingRestart: pendingRestartSchema.nullable(),
  /** Why the last turn failed, if the user can do something about it; `null` once a turn went well. */
  problem: problemSchema.nullable(),
  /** How full the model's context is; `null` as long as the CLI has not reported it for this conversation. */
  context: contextSchema.nullable(),
  /** The working tree of a repository that was made for it; `null` if it works in a folder as it was. */
  worktree: worktreeSchema.nullable(),
});

export type AgentView = z.infer<typeof agentView>;

/** Fields of a record under the names that clients know, without those that they do not see. */
export function visibleFields(fields: readonly string[]): string[] {
  const shown = fields.map((field) => (field === "dialogs" ? "dialog" : field));
  return shown.filter((field) => field in agentView.shape);
}

/** What clients see of a record: the fields of the view and no others. */
export function toAgentView(record: AgentRecord): AgentView {
  return agentView.parse({ ...record, dialog: record.dialogs[0] ?? null });
}

/** Tells whether a text has the shape of an agent's id. */
export function isAgentId(text: string): boolean {
  return isIdentifier("agt", text);
}
