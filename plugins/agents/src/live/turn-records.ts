import type { NewRecord } from "@gantry/plugin";
import type { AgentRecord } from "../records/agent-record.ts";
import type { TurnRecord } from "../records/turn-record.ts";
import type { TurnOrigin, TurnOutcome } from "./turn.ts";

/** The record of a turn that has ended. */
export function toTurnRecord(
  agent: AgentRecord,
  origin: TurnOrigin,
  end: Omit<TurnOutcome, "answer"> & {
    model: string | null;
    finishedAt: string;
  },
): NewRecord<TurnRecord> {
  const { finishedAt, model, sessionId, stopReason, error, usage } = end;
  return {
    id: origin.id,
    agentId: agent.id,
    agentName: agent.name,
    cli: agent.cli,
    model: model ?? agent.model,
    automationId: agent.automationId,
    runId: origin.runId,
    taskId: origin.taskId,
    sessionId,
    startedAt: origin.startedAt,
    finishedAt,
    day: finishedAt.slice(0, 10),
    stopReason,
    error,
    usage,
  };
}
