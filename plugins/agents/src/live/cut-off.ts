import type { NewEvent } from "@gantry/plugin";
import { TurnCutOff, TurnResumed } from "../contract.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { cutText, type NewEntry } from "../transcript/entry.ts";
import type { TurnOrigin } from "./turn.ts";

/** Message for the user about a turn that a stop or a crash of the daemon cut off. */
export const CUT_OFF = "The daemon stopped during this turn.";
const CUT_OFF_BEFORE =
  "The daemon stopped before the agent received the last message, which is queued again.";

const MAX_PROMPT_CHARS = 300;

/** A turn that was cut off. */
export interface CutOffTurn {
  turn: Pick<TurnOrigin, "id" | "runId" | "taskId">;
  at: string;
  /** The prompt that the agent was working on; empty if there was none. */
  prompt: string;
  /** Whether the CLI did not receive the prompt, which is queued again. */
  isQueued: boolean;
}

/** The entry of the conversation about a turn that was cut off. */
export function toCutOffEntry(turnId: string, isQueued: boolean): NewEntry {
  return {
    turnId,
    role: "system",
    kind: "error",
    text: isQueued ? CUT_OFF_BEFORE : CUT_OFF,
    cutOff: true,
  };
}

/** The fields of the agent's record for a turn that was cut off, and the event. */
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
      prompt: cutText(prompt, MAX_PROMPT_CHARS).text,
    }),
  };
}

/** Changes to store when a conversation continues after a cut-off turn; empty if no turn was cut off. */
export function toResumed({ id, cutOff }: AgentRecord): {
  fields: Partial<AgentRecord>;
  events: NewEvent[];
} {
  if (cutOff === null) return { fields: {}, events: [] };
  const { turnId } = cutOff;
  return { fields: { cutOff: null }, events: [TurnResumed.of(id, { turnId })] };
}
