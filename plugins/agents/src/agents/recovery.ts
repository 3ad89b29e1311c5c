import { errors } from "../errors.ts";
import { UNCONFIRMED } from "../live/delivery.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { TaskRecord } from "../records/task-record.ts";
import { closeAgent } from "./recover-agent.ts";
import { findMessage, isHeld, type RecoveryHost } from "./recovery-reads.ts";

const PAGE_SIZE = 100;
const RUN_OVER = "The run that it belongs to ended with the daemon.";

/**
 * Cleans up after a daemon that was killed: closes open agents and settles messages in delivery. Agents are closed when
 * the plugin starts. Whether a CLI received a message in delivery may be known only from the CLI's own record, so such a
 * message is settled when the CLI's driver is added; the plugins with drivers start after this one.
 */
export class Recovery {
  readonly #host: RecoveryHost;
  /** Agents whose recovery waits for their drivers: CLI names by agent id. */
  readonly #waiting = new Map<string, string>();
  #resuming: Promise<unknown> = Promise.resolve();

  constructor(host: RecoveryHost) {
    this.#host = host;
  }

  /** Call it once, before any agent is opened. */
  async begin(): Promise<void> {
    await this.#settleTasks(
      ({ agentId }) => !this.#waiting.has(agentId),
      (agent) => !this.#mustWait(agent),
    );
    await this.#forgetRuns();
    await this.#closeAgents();
  }

  /** Recovers agents whose drivers were added. Never rejects: a failure is logged and tried again when the agent is opened. */
  async resume(): Promise<void> {
    await this.#finishAll((cli) => this.#host.catalog.hasDriver(cli));
  }

  async #finishAll(isReady: (cli: string) => boolean): Promise<void> {
    const { exclusively, log } = this.#host;
    const ready = [...this.#waiting].filter(([, cli]) => isReady(cli));
    const done = ready.map(([id]) =>
      exclusively(id, () => this.#finishOnce(id)).catch((error: unknown) =>
        log.error("An agent could not be recovered", { agent: id }, error),
      ),
    );
    this.#resuming = Promise.all([this.#resuming, ...done]);
    await this.#resuming;
  }

  /** Recovers, without a driver, agents whose CLI is unknown. Call it when all plugins have started. */
  async giveUpUnknown(): Promise<void> {
    await this.#finishAll((cli) => !this.#host.catalog.has(cli));
  }

  /** Resolves when the recoveries in progress have ended. */
  async settled(): Promise<void> {
    await this.#resuming;
  }

  /**
   * Completes the recovery of an agent; does nothing if it is complete. Call it before the agent is opened, inside
   * `exclusively`.
   *
   * @throws AGENT_CLI_MISSING while its driver is missing
   */
  async finish(agentId: string): Promise<void> {
    const cli = this.#waiting.get(agentId);
    if (cli === undefined) return;
    if (!this.#host.catalog.hasDriver(cli))
      throw errors.AGENT_CLI_MISSING({ cli });
    await this.#finishOnce(agentId);
  }

  async #finishOnce(agentId: string): Promise<void> {
    if (!this.#waiting.has(agentId)) return;
    await this.#host.prepare(() => this.#finish(agentId));
    this.#waiting.delete(agentId);
    this.#host.onDecided(agentId);
  }

  async #finish(agentId: string): Promise<void> {
    const { records, streams } = this.#host;
    await this.#settleTasks(
      (task) => task.agentId === agentId,
      () => true,
    );
    const agent = await records.agents.get(agentId);
    if (agent?.turn && agent.mode !== "terminal")
      await closeAgent(this.#host, agent);
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
        limit: PAGE_SIZE,
        filter,
      });
      for (const agent of items) {
        const { turn } = agent;
        // A turn of a run is settled at once: its prompt is never sent again, and its cost must be recorded.
        const isOfUser = turn !== null && turn.runId === null;
        const isWaiting = isOfUser && this.#mustWait(agent);
        await closeAgent(this.#host, agent, isWaiting);
      }
      if (items.length < PAGE_SIZE) return;
    }
  }

  async #settleTasks(
    filter: (task: TaskRecord) => boolean,
    canDecide: (agent: AgentRecord) => boolean,
  ): Promise<void> {
    const { agents, tasks } = this.#host.records;
    for (;;) {
      const { items } = await tasks.list({
        index: "delivering",
        limit: PAGE_SIZE,
        filter,
      });
      for (const task of items) {
        const agent = await agents.get(task.agentId);
        if (!agent || canDecide(agent)) await this.#settleTask(task);
      }
      if (items.length < PAGE_SIZE) return;
    }
  }

  async #settleTask({ id }: TaskRecord): Promise<void> {
    const { records, tasks } = this.#host;
    const task = await records.tasks.get(id);
    if (task?.status !== "delivering") return;
    await settleTask(this.#host, task);
    const settled = await records.tasks.get(id);
    if (settled?.runId && settled.status === "queued")
      await tasks.settle(settled, "cancelled", RUN_OVER);
  }

  /** Cancels queued messages of runs, since runs end with the daemon. */
  async #forgetRuns(): Promise<void> {
    const { records, tasks } = this.#host;
    for (;;) {
      const { items } = await records.tasks.list({
        index: "pending",
        limit: PAGE_SIZE,
        filter: ({ runId, status }) => runId !== null && status === "queued",
      });
      for (const task of items) await tasks.settle(task, "cancelled", RUN_OVER);
      if (items.length < PAGE_SIZE) return;
    }
  }

  /** Whether recovery has to wait for the agent's driver. If so, adds the agent to those that wait. */
  #mustWait({ id, cli }: AgentRecord): boolean {
    if (this.#host.catalog.hasDriver(cli)) return false;
    this.#waiting.set(id, cli);
    return true;
  }
}

/**
 * Settles a message that was in delivery. A message is written into the transcript before it is sent, so one that is
 * missing there was not sent and is queued again. It was delivered if work of its turn follows, or if the CLI's own record
 * holds it. If neither is known, it is marked `failed`, and the user decides whether to send it again.
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
