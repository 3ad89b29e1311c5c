import type { NewEvent } from "@gantry/plugin";
import { TurnCutOff, TurnResumed } from "../contract.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { cutText, type NewEntry } from "../transcript/entry.ts";
import type { TurnOrigin } from "./turn.ts";

/** What the user reads of a turn that a stop or a crash of the daemon cut off. */
export const CUT_OFF = "The daemon stopped during this turn.";
const CUT_OFF_BEFORE =
  "The daemon stopped before the agent had the last message, which waits to be sent.";

const MAX_PROMPT = 300;

/** A turn that is cut off. */
export interface CutOffTurn {
  turn: Pick<TurnOrigin, "id" | "runId" | "taskId">;
  at: string;
  /** What the agent was at. */
  prompt: string;
  /** The CLI does not have the prompt, which waits in the queue. */
  isQueued: boolean;
}

/** The entry that reports it in the conversation. */
export function toCutOffEntry(turnId: string, isQueued: boolean): NewEntry {
  return {
    turnId,
    role: "system",
    kind: "error",
    text: isQueued ? CUT_OFF_BEFORE : CUT_OFF,
    cutOff: true,
  };
}

/** How the record of the agent remembers it, and the event of it. */
export function toCutOff(
  agent: Pick<AgentRecord, "id" | "name">,
  { turn, at, prompt, isQueued }: CutOffTurn,
): { fields: Pick<AgentRecord, "cutOff">; event: NewEvent } {
  const { id: turnId, runId, taskId } = turn;
  const queuedTaskId = isQueued ? taskId : null;
  return {
    fields: { cutOff: { turnId, at, queuedTaskId, continuedBy: null } },
    event: TurnCutOff.of(agent.id, {
      ...{ turnId, runId },
      agentName: agent.name,
      prompt: cutText(prompt, MAX_PROMPT).text,
    }),
  };
}

/** What is written when a conversation continues; nothing if no turn of it was cut off. */
export function toResumed({ id, cutOff }: AgentRecord): {
  fields: Partial<AgentRecord>;
  events: NewEvent[];
} {
  if (cutOff === null) return { fields: {}, events: [] };
  const { turnId } = cutOff;
  return { fields: { cutOff: null }, events: [TurnResumed.of(id, { turnId })] };
}
