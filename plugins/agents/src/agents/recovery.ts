import { errors } from "../errors.ts";
import { UNCONFIRMED } from "../live/delivery.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { TaskRecord } from "../records/task-record.ts";
import { closeAgent } from "./recover-agent.ts";
import { findMessage, isHeld, type RecoveryHost } from "./recovery-reads.ts";

/** Records that are read at once. */
const AT_ONCE = 100;
const SETTLED =
  "It was sent or cancelled before the snapshot was restored in which it waits. Send it again if it is to be done once more.";
const RUN_OVER = "The run that it belongs to ended with the daemon.";

/**
 * Cleans up after a daemon that was killed: nothing stays open, running or pending. An agent whose driver another plugin adds is
 * closed at once. The result of the user's last message is decided when the driver is there, since only the CLI's own record may
 * tell.
 */
export class Recovery {
  readonly #host: RecoveryHost;
  /** Agents that wait for their drivers, and their CLIs. */
  readonly #waiting = new Map<string, string>();
  #resuming: Promise<unknown> = Promise.resolve();

  constructor(host: RecoveryHost) {
    this.#host = host;
  }

  /** To be called once, before an agent is opened. */
  async begin(): Promise<void> {
    await this.#settleTasks(
      ({ agentId }) => !this.#waiting.has(agentId),
      (agent, task) => !this.#mustWait(agent, task),
    );
    await this.#forgetRuns();
    await this.#cancelSettled();
    await this.#closeAgents();
  }

  /**
   * Continues the recovery of agents whose drivers were added. Never rejects: what fails is tried again when the agent is opened.
   */
  async resume(): Promise<void> {
    const { catalog, exclusively, log } = this.#host;
    const ready = [...this.#waiting].filter(([, cli]) =>
      catalog.hasDriver(cli),
    );
    const done = ready.map(([id]) =>
      exclusively(id, () => this.finish(id)).catch((error: unknown) =>
        log.error("An agent could not be recovered", { agent: id }, error),
      ),
    );
    this.#resuming = Promise.all([this.#resuming, ...done]);
    await this.#resuming;
  }

  /** Resolves when no agent is being recovered because its driver came. */
  async settled(): Promise<void> {
    await this.#resuming;
  }

  /**
   * Decides what is undecided of an agent; harmless if nothing is. To be called before the agent is opened, while nothing
   * else opens it.
   *
   * @throws AGENT_CLI_MISSING while its driver is not there
   */
  async finish(agentId: string): Promise<void> {
    const { catalog, prepare } = this.#host;
    const cli = this.#waiting.get(agentId);
    if (cli === undefined) return;
    if (!catalog.hasDriver(cli)) throw errors.AGENT_CLI_MISSING({ cli });
    await prepare(() => this.#finish(agentId));
    this.#waiting.delete(agentId);
  }

  async #finish(agentId: string): Promise<void> {
    const { records, streams } = this.#host;
    await this.#settleTasks(
      (task) => task.agentId === agentId,
      () => true,
    );
    const agent = await records.agents.get(agentId);
    if (agent?.turn) await closeAgent(this.#host, agent);
    streams.publish(agentId, "branched", {});
  }

  async #closeAgents(): Promise<void> {
    const { agents } = this.#host.records;
    // A screen in a terminal outlives the daemon.
    const filter = ({ id, mode, state }: AgentRecord) =>
      mode !== "terminal" && !(state === "closed" && this.#waiting.has(id));
    for (;;) {
      const { items } = await agents.list({
        index: "unfinished",
        limit: AT_ONCE,
        filter,
      });
      for (const agent of items) {
        const { turn } = agent;
        const isWaiting = turn !== null && this.#mustWait(agent, turn);
        await closeAgent(this.#host, agent, isWaiting);
      }
      if (items.length < AT_ONCE) return;
    }
  }

  async #settleTasks(
    filter: (task: TaskRecord) => boolean,
    canDecide: (agent: AgentRecord, task: TaskRecord) => boolean,
  ): Promise<void> {
    const { agents, tasks } = this.#host.records;
    for (;;) {
      const { items } = await tasks.list({
        index: "delivering",
        limit: AT_ONCE,
        filter,
      });
      for (const task of items) {
        const agent = await agents.get(task.agentId);
        if (!agent || canDecide(agent, task))
          await settleTask(this.#host, task);
      }
      if (items.length < AT_ONCE) return;
    }
  }

  /** Runs ended with the daemon, so what they wanted to say is not said when the agent is open again. */
  async #forgetRuns(): Promise<void> {
    const { records, tasks } = this.#host;
    for (;;) {
      const { items } = await records.tasks.list({
        index: "pending",
        limit: AT_ONCE,
        filter: ({ runId, status }) => runId !== null && status === "queued",
      });
      for (const task of items) await tasks.settle(task, "cancelled", RUN_OVER);
      if (items.length < AT_ONCE) return;
    }
  }

  /** After a restore, what waits may have been sent or cancelled since the snapshot was made. */
  async #cancelSettled(): Promise<void> {
    const { records, tasks } = this.#host;
    const settled = await records.settled.read();
    if (settled.size === 0) return;
    for (;;) {
      const { items } = await records.tasks.list({
        index: "pending",
        limit: AT_ONCE,
        filter: ({ id, status }) => status === "queued" && settled.has(id),
      });
      for (const task of items) await tasks.settle(task, "cancelled", SETTLED);
      if (items.length < AT_ONCE) return;
    }
  }

  /**
   * Whether the result of a message or a turn is decided only when the driver is there. Nothing of a run is sent again, whatever
   * its CLI has; and of a screen, which has its conversation all the time, the record tells nothing.
   */
  #mustWait(
    { id, cli, mode }: AgentRecord,
    { runId }: { runId: string | null },
  ): boolean {
    const { catalog } = this.#host;
    const isMissing = catalog.has(cli) && !catalog.hasDriver(cli);
    if (!isMissing || mode === "terminal" || runId !== null) return false;
    this.#waiting.set(id, cli);
    return true;
  }
}

/**
 * Decides the result of a message that was pending. It is written into the transcript before it is sent, so one that is missing
 * there was not sent. One that is followed by work of its turn was delivered, and so was one that the CLI has in its own record.
 * Where neither is known, it is not sent again without the user.
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
