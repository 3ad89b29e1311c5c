import type { NewEvent, StoreOperation } from "@gantry/plugin";
import {
  AgentChanged,
  DialogClosed,
  TurnFinished,
  type AgentUsage,
} from "../contract.ts";
import {
  CUT_OFF,
  toCutOff,
  toCutOffEntry,
  type CutOffTurn,
} from "../live/cut-off.ts";
import { toTurnCharge } from "../charges/charge-record.ts";
import { toTurnRecord } from "../live/turn-records.ts";
import { addUsage, NO_USAGE } from "@gantry/agent-kit";
import type { AgentRecord, RunningTurn } from "../records/agent-record.ts";
import type { Entry } from "../transcript/entry.ts";
import {
  findMessage,
  isHeld,
  newestFirst,
  type RecoveryHost,
} from "./recovery-reads.ts";

/** Changes to store for a turn that was running when the daemon was killed. */
interface TurnEnding {
  fields: Partial<AgentRecord>;
  spent: { usage: AgentUsage; reportedCostUsd: number | null };
  operations: () => Promise<StoreOperation[]>;
  events: NewEvent[];
}

/**
 * Closes an agent that was open when the daemon was killed, and ends its turn.
 *
 * @param keepsTurn Keeps the turn in the record, because it is not known yet how it ended.
 */
export async function closeAgent(
  host: RecoveryHost,
  agent: AgentRecord,
  keepsTurn = false,
): Promise<void> {
  const { id, turn } = agent;
  const isEnding = turn !== null && !keepsTurn;
  const ending = isEnding ? await endTurn(host, agent, turn) : NOTHING;
  await host.transcripts.of(id).close();
  const { fields, spent } = ending;
  await host.records.agents.update(id, async (current) => ({
    record: {
      ...current,
      state: "closed",
      mode: null,
      activity: "idle",
      dialogs: [],
      turn: keepsTurn ? current.turn : null,
      usage: addUsage(current.usage, spent.usage),
      reportedCostUsd: spent.reportedCostUsd ?? current.reportedCostUsd,
      ...fields,
    },
    operations: await ending.operations(),
    events: [
      ...agent.dialogs.map((dialog) =>
        DialogClosed.of(id, { dialogId: dialog.id, answer: null }),
      ),
      ...ending.events,
      AgentChanged.of(id, {
        fields: ["state", "mode", "activity", ...Object.keys(fields)],
      }),
    ],
  }));
}

const NOTHING: TurnEnding = {
  fields: {},
  spent: { usage: NO_USAGE, reportedCostUsd: null },
  operations: async () => [],
  events: [],
};

async function endTurn(
  host: RecoveryHost,
  agent: AgentRecord,
  turn: RunningTurn,
): Promise<TurnEnding> {
  const at = host.clock.timestamp();
  const isQueued = await isQueuedAgain(host, agent, turn);
  const cutOff: CutOffTurn = {
    ...{ turn, at, isQueued },
    prompt: await promptOf(host, agent, turn, isQueued),
  };
  const { fields, event } = toCutOff(agent, cutOff);
  await host.transcripts
    .of(agent.id)
    .append([toCutOffEntry(turn.id, isQueued)], { durable: true });
  if (isQueued) return { ...NOTHING, fields, events: [event] };
  if (turn.taskId !== null) await host.tasks.close(turn.taskId);
  const spent = await spentIn(host, agent.id, turn.id);
  const { usage } = spent;
  const end = { stopReason: "error", error: CUT_OFF, usage } as const;
  const inserted = host.records.turns.toInsert(
    toTurnRecord(agent, turn, {
      ...{ ...end, sessionId: agent.sessionId },
      ...{ model: null, finishedAt: at },
    }),
  );
  const { id: turnId, runId } = turn;
  const finished = { turnId, runId, stopReason: "error", usage } as const;
  return {
    ...{ fields, spent },
    operations: async () => [
      ...inserted.operations,
      ...host.records.charges.toInsert(toTurnCharge(inserted.record))
        .operations,
    ],
    events: [TurnFinished.of(agent.id, finished), event],
  };
}

/**
 * Puts the prompt of a turn back into the queue if the CLI's conversation does not hold it: the CLI never received it, or
 * was killed before it stored it. Returns whether the prompt is queued.
 */
async function isQueuedAgain(
  host: RecoveryHost,
  { id: agentId }: AgentRecord,
  { id: turnId, taskId }: RunningTurn,
): Promise<boolean> {
  const task = taskId ? await host.records.tasks.get(taskId) : undefined;
  const isQueued = task?.status === "queued";
  if (!task || !(isQueued || task.status === "delivered")) return false;
  // A prompt of a run is not sent again, since the run ended with the daemon.
  if (task.runId !== null) return false;
  const sent = await findMessage(host, { id: task.id, agentId, turnId });
  if (!isQueued) {
    // The CLI's record does not hold commands, so it cannot tell whether one was received.
    if (!sent || sent.wasAnswered || sent.entry.text.startsWith("/"))
      return false;
    if ((await isHeld(host, task, sent.entry)) !== false) return false;
    await host.tasks.requeue(task.id);
  }
  // Last, and repeated if the daemon was killed before this step: the next delivery adds the message to the transcript again.
  if (sent) await host.transcripts.of(agentId).withdraw(sent.entry.id);
  return true;
}

/** The prompt that the agent was working on. */
async function promptOf(
  host: RecoveryHost,
  { id: agentId }: AgentRecord,
  { id: turnId, taskId }: RunningTurn,
  isQueued: boolean,
): Promise<string> {
  if (isQueued && taskId)
    return (await host.records.tasks.get(taskId))?.message ?? "";
  for await (const entry of newestFirst(host, agentId)) {
    if (isOfEarlierTurn(entry, turnId)) break;
    if (entry.message?.delivery === "prompt") return entry.text;
  }
  return "";
}

/** The cost of a turn by the reports that were stored before the crash. */
async function spentIn(
  host: RecoveryHost,
  agentId: string,
  turnId: string,
): Promise<TurnEnding["spent"]> {
  let usage = NO_USAGE;
  let reportedCostUsd: number | null = null;
  for await (const entry of newestFirst(host, agentId)) {
    if (isOfEarlierTurn(entry, turnId)) break;
    // The CLI reports a running total of the session, so the newest one counts, from whichever turn.
    reportedCostUsd ??= entry.reportedCostUsd ?? null;
    if (entry.turnId !== turnId || !entry.usage) continue;
    usage = addUsage(usage, entry.usage);
  }
  return { usage, reportedCostUsd };
}

/**
 * Whether an entry is from before a turn, when entries are read newest first. Usage entries do not count, since usage of an
 * earlier turn may be reported during the turn.
 */
function isOfEarlierTurn(entry: Entry, turnId: string): boolean {
  const isOther = entry.turnId !== null && entry.turnId !== turnId;
  return isOther && entry.kind !== "usage";
}
