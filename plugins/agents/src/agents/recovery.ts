import { UNCONFIRMED } from "../live/delivery.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { TaskRecord } from "../records/task-record.ts";
import { closeAgent } from "./recover-agent.ts";
import { findMessage, isHeld, type RecoveryHost } from "./recovery-reads.ts";

const RUN_OVER = "The run that it belongs to ended with the daemon.";

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
 * Decides what became of a message that was on its way. It is written into the transcript before it is sent, so one that
 * is missing there was not sent. One that is followed by work of its turn was taken, and so was one that the CLI has in
 * its own record. Where nothing can be told it is not sent again behind the user's back.
 */
async function settleTask(host: RecoveryHost, task: TaskRecord): Promise<void> {
  const { tasks, transcripts } = host;
  const sent = await findMessage(host, task);
  if (!sent) return await tasks.settle(task, "queued", null);
  const { entry, wasAnswered } = sent;
  const isAnswered = wasAnswered && entry.message?.delivery === "prompt";
  const isTaken = isAnswered || (await isHeld(host, task, entry));
  if (isTaken) return await tasks.settle(task, "delivered", null);
  const transcript = transcripts.of(task.agentId);
  if (isTaken === false) {
    await transcript.withdraw(entry.id);
    return await tasks.settle(task, "queued", null);
  }
  const { turnId } = entry;
  const notice = { turnId, role: "system", kind: "notice" } as const;
  await transcript.append([{ ...notice, text: UNCONFIRMED }], {
    durable: true,
  });
  await tasks.settle(task, "failed", UNCONFIRMED);
}
