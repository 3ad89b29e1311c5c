import type { NewEvent, StoreOperation } from "@gantry/plugin";
import { AgentChanged, DialogClosed, TurnFinished } from "../contract.ts";
import type { AgentUsage } from "../agent-usage.ts";
import {
  CUT_OFF,
  toCutOff,
  toCutOffEntry,
  type CutOffTurn,
} from "../live/cut-off.ts";
import { describeWork } from "../live/open-work.ts";
import { toTurnRecord } from "../live/turn-records.ts";
import { addUsage, NO_USAGE } from "../live/usage.ts";
import type { AgentRecord, RunningTurn } from "../records/agent-record.ts";
import type { Entry } from "../transcript/entry.ts";
import {
  findMessage,
  isHeld,
  newestFirst,
  type RecoveryHost,
} from "./recovery-reads.ts";

/** What is stored of the turn that an agent was at. */
interface TurnEnding {
  fields: Partial<AgentRecord>;
  spent: { usage: AgentUsage; reportedCostUsd: number | null };
  operations: () => Promise<StoreOperation[]>;
  events: NewEvent[];
}

/**
 * Closes an agent that was open when the daemon was killed, and ends its turn.
 *
 * @param keepsTurn It cannot be told yet how the turn ended: it stays in the record.
 */
export async function closeAgent(
  host: RecoveryHost,
  agent: AgentRecord,
  keepsTurn = false,
): Promise<void> {
  const { id, turn } = agent;
  const isEnding = turn !== null && !keepsTurn;
  if (agent.openWork.length > 0) await noteLost(host, agent);
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
      openWork: [],
      pendingRestart: null,
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

/** Work in the background ended with the daemon, and reports nothing. */
async function noteLost(
  host: RecoveryHost,
  { id, openWork }: AgentRecord,
): Promise<void> {
  const text = `The daemon stopped. ${describeWork(openWork)}`;
  const entry = { turnId: null, role: "system", kind: "notice", text } as const;
  await host.transcripts.of(id).append([entry], { durable: true });
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
      ...(await host.usage.toCount(inserted.record)),
    ],
    events: [TurnFinished.of(agent.id, finished), event],
  };
}

/**
 * Whether the prompt of a turn waits in the queue again, because the CLI does not have it: it never had it, or had it and was
 * killed before it did anything, so that its conversation continues without it.
 */
async function isQueuedAgain(
  host: RecoveryHost,
  { id: agentId }: AgentRecord,
  { id: turnId, taskId }: RunningTurn,
): Promise<boolean> {
  const task = taskId ? await host.records.tasks.get(taskId) : undefined;
  const isQueued = task?.status === "queued";
  if (!task || !(isQueued || task.status === "delivered")) return false;
  // Its run ended with the daemon.
  if (task.runId !== null) return false;
  const sent = await findMessage(host, { id: task.id, agentId, turnId });
  if (!isQueued) {
    // A command is in no record, so its result is unknown.
    if (!sent || sent.wasAnswered || sent.entry.text.startsWith("/"))
      return false;
    if ((await isHeld(host, task, sent.entry)) !== false) return false;
    await host.tasks.requeue(task.id);
  }
  // Last, and also where the daemon was killed before it: a message is shown again with its next delivery.
  if (sent) await host.transcripts.of(agentId).withdraw(sent.entry.id);
  return true;
}

/** What the agent was at. */
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

/** What a turn had cost by the reports that were stored. */
async function spentIn(
  host: RecoveryHost,
  agentId: string,
  turnId: string,
): Promise<TurnEnding["spent"]> {
  let usage = NO_USAGE;
  let reportedCostUsd: number | null = null;
  for await (const entry of newestFirst(host, agentId)) {
    if (isOfEarlierTurn(entry, turnId)) break;
    // The CLI's running total is that of the session, in whichever turn it came.
    reportedCostUsd ??= entry.reportedCostUsd ?? null;
    if (entry.turnId !== turnId || !entry.usage) continue;
    usage = addUsage(usage, entry.usage);
  }
  return { usage, reportedCostUsd };
}

/** Whether a turn begins behind an entry, read backwards. Spending of an earlier turn may be reported within it. */
function isOfEarlierTurn(entry: Entry, turnId: string): boolean {
  const isOther = entry.turnId !== null && entry.turnId !== turnId;
  return isOther && entry.kind !== "usage";
}
