import { isIdentifier, type CollectionDefinition } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { processIdentity } from "../live/process-identity.ts";
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

/** The turn in progress, stored so that it can be ended after a crash. */
export const runningTurnSchema = z.object({
  id: z.string(),
  taskId: z.string().nullable(),
  runId: z.string().nullable(),
  startedAt: timestamp,
});

/** A turn that a stop or a crash of the daemon cut off. It is kept until the conversation continues. */
export const cutOffSchema = z.object({
  turnId: z.string(),
  at: timestamp,
  /** The task of its prompt if the CLI did not receive it and it is queued again; starting the agent then continues the turn. */
  queuedTaskId: z.string().nullable(),
  /** The task that continues it; `null` until the user requests that. */
  continuedBy: z.string().nullable(),
});

export type CutOff = z.infer<typeof cutOffSchema>;

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

/** An agent as it is stored. */
export const agentSchema = z.object({
  ...storedFields,
  ...settings,
  ...state,
  dialogs: z.array(dialogSchema),
  turn: runningTurnSchema.nullable(),
  cutOff: cutOffSchema.nullable().default(null),
  /** What the driver needs, besides the session id, to find the conversation; `null` if nothing. */
  resumeKey: z.string().nullable(),
  /** Set if the next message continues a copy of the session instead of the session itself. */
  fork: z
    .object({
      keepPrompts: z.number().int().nonnegative().nullable(),
      leftOut: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** The running total of the cost that the CLI reported last for this conversation. */
  reportedCostUsd: z.number().nullable(),
  /** The CLI's own screen, while the agent is open in a terminal. */
  screen: z
    .object({
      /** Incarnation of the terminal; with another one, the terminal no longer shows this screen. */
      incarnation: z.string(),
      /** Hash of the receiver's token. */
      tokenHash: z.string(),
      /** The CLI in the terminal, which outlives the daemon and the terminals plugin. */
      process: processIdentity.nullable().default(null),
    })
    .nullable()
    .default(null),
  /** Whether the working folder was created for this agent and may be deleted with it. */
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
    /** Agents that recovery closes at the start of the daemon. */
    unfinished: (agent) =>
      agent.state === "open" || agent.turn !== null ? [] : undefined,
    automation: (agent) =>
      agent.automationId === null ? undefined : [agent.automationId],
  },
};

/** An agent as clients see it. */
export const agentView = z.object({
  ...storedFields,
  ...settings,
  ...state,
  /** The oldest open question; `null` if there is none. */
  dialog: dialogSchema.nullable(),
  /** The turn that a stop or a crash of the daemon cut off; `null` once the conversation has continued. */
  cutOff: cutOffSchema.nullable(),
});

export type AgentView = z.infer<typeof agentView>;

/** The fields among `fields` that clients can see, under their names in the view. */
export function visibleFields(fields: readonly string[]): string[] {
  const shown = fields.map((field) => (field === "dialogs" ? "dialog" : field));
  return shown.filter((field) => field in agentView.shape);
}

/** Converts a record to the view for clients. */
export function toAgentView(record: AgentRecord): AgentView {
  return agentView.parse({ ...record, dialog: record.dialogs[0] ?? null });
}

/** Whether a text has the format of an agent's id. */
export function isAgentId(text: string): boolean {
  return isIdentifier("agt", text);
}
