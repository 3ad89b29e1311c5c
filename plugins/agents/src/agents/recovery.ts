import type { Clock, Log } from "@gantry/plugin";
import {
  AgentChanged,
  DialogClosed,
  TurnFinished,
  type AgentUsage,
} from "../contract.ts";
import { toTurnRecord } from "../live/turn-records.ts";
import { addUsage, NO_USAGE } from "../live/usage.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { Entry } from "../transcript/entry.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { UsageBook } from "../usage/usage-book.ts";

/** What recovering stands on. */
export interface RecoveryHost {
  records: Records;
  usage: UsageBook;
  transcripts: Transcripts;
  tasks: TaskBook;
  clock: Clock;
  log: Log;
}

const STOPPED = "The daemon stopped during this turn.";
const UNSURE =
  "The daemon stopped while this message was handed over, and nothing shows whether the agent got it. Send it again if it is needed.";
const RUN_OVER = "The run that it belongs to ended with the daemon.";
/** A turn is looked for in so many of the newest entries; a longer one loses figures, never entries. */
const MAX_ENTRIES = 10_000;

/** Puts right what a daemon that was killed left behind: nothing stays open, at work or on its way. */
export async function recover(host: RecoveryHost): Promise<void> {
  const { agents, tasks } = host.records;
  for (;;) {
    const { items } = await tasks.list({ index: "delivering", limit: 100 });
    for (const task of items) await settleTask(host, task);
    if (items.length < 100) break;
  }
  await forgetRuns(host);
  for (;;) {
    // A screen in a terminal outlives the daemon.
    const filter = ({ mode }: AgentRecord) => mode !== "terminal";
    const { items } = await agents.list({ index: "open", limit: 100, filter });
    for (const agent of items) await closeAgent(host, agent);
    if (items.length < 100) break;
  }
}

/** Runs ended with the daemon, so what they wanted to say is not said when the agent is open again. */
async function forgetRuns({ records, tasks }: RecoveryHost): Promise<void> {
  for (;;) {
    const { items } = await records.tasks.list({
      index: "pending",
      limit: 100,
      filter: ({ runId, status }) => runId !== null && status === "queued",
    });
    for (const task of items) await tasks.settle(task, "cancelled", RUN_OVER);
    if (items.length < 100) return;
  }
}

/**
 * Decides by the transcript what became of a message. It is written there before it is sent, so one that is missing was
 * not sent. One that is followed by work of its turn was taken. In between nothing is certain, and it is not sent again
 * behind the user's back.
 */
async function settleTask(host: RecoveryHost, task: TaskRecord): Promise<void> {
  let wasAnswered = false;
  for await (const entry of newestFirst(host, task.agentId)) {
    if (entry.message?.taskId === task.id) {
      const isDelivered = wasAnswered && entry.message.delivery === "prompt";
      if (isDelivered) return await host.tasks.settle(task, "delivered", null);
      await host.transcripts
        .of(task.agentId)
        .append([toNotice(entry.turnId, UNSURE)], { durable: true });
      return await host.tasks.settle(task, "failed", UNSURE);
    }
    if (entry.turnId === task.turnId && entry.role === "assistant")
      wasAnswered = true;
  }
  host.log.info("A message that had not been sent goes back into its queue", {
    task: task.id,
  });
  await host.tasks.settle(task, "queued", null);
}

async function closeAgent(
  host: RecoveryHost,
  agent: AgentRecord,
): Promise<void> {
  const { agents, turns } = host.records;
  const { turn } = agent;
  const spent = turn ? await spentIn(host, agent.id, turn.id) : undefined;
  if (turn) {
    const entry = {
      turnId: turn.id,
      role: "system",
      kind: "error",
      text: STOPPED,
    } as const;
    await host.transcripts.of(agent.id).append([entry], { durable: true });
    await host.transcripts.of(agent.id).close();
  }
  const usage = spent?.usage ?? NO_USAGE;
  const end = {
    stopReason: "error",
    error: STOPPED,
    usage,
    sessionId: agent.sessionId,
    model: null,
    finishedAt: host.clock.timestamp(),
  } as const;
  const inserted = turn && turns.toInsert(toTurnRecord(agent, turn, end));
  await agents.update(agent.id, async (current) => ({
    record: {
      ...current,
      state: "closed",
      mode: null,
      activity: "idle",
      dialogs: [],
      turn: null,
      usage: addUsage(current.usage, usage),
      reportedCostUsd: spent?.reportedCostUsd ?? current.reportedCostUsd,
    },
    operations: inserted
      ? [...inserted.operations, ...(await host.usage.toCount(inserted.record))]
      : [],
    events: [
      ...agent.dialogs.map(({ id }) =>
        DialogClosed.of(agent.id, { dialogId: id, answer: null }),
      ),
      ...(turn
        ? [
            TurnFinished.of(agent.id, {
              turnId: turn.id,
              runId: turn.runId,
              stopReason: "error",
              usage,
            }),
          ]
        : []),
      AgentChanged.of(agent.id, { fields: ["state", "mode", "activity"] }),
    ],
  }));
}

/** What a turn had cost by the reports that were written down. */
async function spentIn(
  host: RecoveryHost,
  agentId: string,
  turnId: string,
): Promise<{ usage: AgentUsage; reportedCostUsd: number | null }> {
  let usage = NO_USAGE;
  let reportedCostUsd: number | null = null;
  for await (const entry of newestFirst(host, agentId)) {
    if (entry.turnId !== null && entry.turnId !== turnId) break;
    if (entry.turnId !== turnId || !entry.usage) continue;
    usage = addUsage(usage, entry.usage);
    reportedCostUsd ??= entry.reportedCostUsd ?? null;
  }
  return { usage, reportedCostUsd };
}

async function* newestFirst(
  host: RecoveryHost,
  agentId: string,
): AsyncGenerator<Entry> {
  let before: number | undefined;
  for (let count = 0; count < MAX_ENTRIES;) {
    const page = await host.transcripts.of(agentId).page(500, before);
    if (!page) return;
    yield* page.items;
    count += page.items.length;
    if (page.next === null) return;
    before = page.next;
  }
}

function toNotice(turnId: string | null, text: string) {
  return { turnId, role: "system", kind: "notice", text } as const;
}
