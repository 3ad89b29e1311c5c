import { isGantryError, type Log } from "@gantry/plugin";
import type { CliRecords } from "../clis/cli-records.ts";
import { AgentChanged } from "../contract.ts";
import { errors } from "../errors.ts";
import { toResumed } from "../live/cut-off.ts";
import type { Fleet } from "../live/fleet.ts";
import { Lanes } from "../live/lanes.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { AgentRecord, CutOff } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { Entry } from "../transcript/entry.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import { newestFirst } from "./recovery-reads.ts";
import type { AgentBook } from "./agent-book.ts";
import type { AgentGate } from "./agent-gate.ts";

/** Dependencies of {@link Continuation}. */
export interface ContinuationHost {
  gate: AgentGate;
  records: Records;
  book: AgentBook;
  tasks: TaskBook;
  fleet: Fleet;
  transcripts: Transcripts;
  cliRecords: CliRecords;
  log: Log;
  /** Sends what can be sent to an agent. */
  pump(agentId: string): void;
  /** Cancels a message. Rejects with TASK_NOT_QUEUED if it is not queued any more. */
  cancel(agentId: string, taskId: string): Promise<unknown>;
  /** Aborts when the plugin stops. A client that leaves takes nothing back. */
  signal: AbortSignal;
}

const GO_ON =
  "The Gantry daemon stopped while you worked on my last message. Continue with it. Part of it may be done already, so check that first.";
const WITH_MESSAGE =
  "The Gantry daemon stopped while you worked on the message below. Part of it may be done already, so check that before you continue.";
const WITHOUT_IMAGES = "Its pictures are not sent again.";

/** Continues turns that a stop or a crash of the daemon cut off. */
export class Continuation {
  readonly #host: ContinuationHost;
  readonly #lanes = new Lanes();

  constructor(host: ContinuationHost) {
    this.#host = host;
  }

  /**
   * Continues a turn in the same session: queues a message before all others that wait, and starts the agent. Where the CLI
   * never had the prompt, that prompt is sent. Called twice, it gives the same task. When the agent cannot be started, the
   * turn can be continued later.
   *
   * @throws AGENT_NOT_FOUND, TURN_NOT_CUT_OFF, and what keeps an agent from being started
   */
  continueTurn(agentId: string, turnId: string): Promise<{ taskId: string }> {
    const { gate } = this.#host;
    return this.#lanes.run(agentId, async () => {
      const agent = await this.#host.book.get(agentId);
      if (agent.cutOff?.turnId !== turnId)
        throw errors.TURN_NOT_CUT_OFF({ turnId });
      const { cutOff } = agent;
      const taskId =
        (await this.#pending(cutOff)) ??
        (await gate.write(agentId, () => this.#queue(agent, cutOff)));
      try {
        await this.#start(agent);
      } catch (error) {
        if (taskId !== cutOff.queuedTaskId) {
          await this.#cancel(agentId, taskId);
          // The record has it by the time that the caller reads the refusal.
          await this.givenUp({ agentId, id: taskId });
        }
        throw error;
      }
      this.#host.pump(agentId);
      return { taskId };
    });
  }

  /** A message will not be delivered: what it was to continue is offered again. */
  async givenUp({
    agentId,
    id,
  }: Pick<TaskRecord, "agentId" | "id">): Promise<void> {
    const { records, log } = this.#host;
    const change = (agent: AgentRecord) => {
      const { cutOff } = agent;
      // The user took the prompt back, so there is nothing to continue.
      if (cutOff?.queuedTaskId === id) return toResumed(agent);
      if (cutOff?.continuedBy !== id) return undefined;
      return {
        fields: { cutOff: { ...cutOff, continuedBy: null } },
        events: [],
      };
    };
    await records.agents
      .update(agentId, (agent) => {
        const { fields, events } = change(agent) ?? {};
        if (!fields || !events) return undefined;
        return {
          record: { ...agent, ...fields },
          events: [...events, changed(agentId)],
        };
      })
      .catch((error: unknown) =>
        log.error("A turn is not offered again", { agent: agentId }, error),
      );
  }

  /** The task that continues it already. */
  async #pending({ continuedBy, queuedTaskId }: CutOff) {
    const task = await this.#host.records.tasks.get(
      continuedBy ?? queuedTaskId ?? "",
    );
    const isPending =
      task?.status === "queued" || task?.status === "delivering";
    return isPending ? task.id : undefined;
  }

  /** Queues a message, in one write with the note that it continues the turn. */
  async #queue(agent: AgentRecord, cutOff: CutOff): Promise<string> {
    const { records, tasks } = this.#host;
    const { id: agentId } = agent;
    const { turnId } = cutOff;
    const { task, operations, publish } = await tasks.toAddFirst({
      agentId,
      kind: "prompt",
      message: await this.#toMessage(agent, cutOff),
      source: "continue",
      startsAgent: true,
    });
    const written = await records.agents.update(agentId, (current) => {
      // The conversation was continued meanwhile.
      if (current.cutOff?.turnId !== turnId)
        throw errors.TURN_NOT_CUT_OFF({ turnId });
      const continued = { ...current.cutOff, continuedBy: task.id };
      return {
        record: { ...current, cutOff: continued },
        operations,
        events: [changed(agentId)],
      };
    });
    if (!written) throw errors.AGENT_NOT_FOUND({ id: agentId });
    publish();
    return task.id;
  }

  /** Says what to continue, with the message itself unless the CLI certainly has it. */
  async #toMessage(agent: AgentRecord, { turnId }: CutOff): Promise<string> {
    const sent = await this.#findPrompt(agent.id, turnId);
    if (!sent) return GO_ON;
    const { text, at, message } = sent;
    const isHeld =
      agent.sessionId !== null &&
      (await this.#host.cliRecords.holdsPrompt(agent, text, at));
    if (isHeld) return GO_ON;
    // A command is one only at the beginning of a message.
    if (text.startsWith("/")) return text;
    const hasImages = (message?.images ?? 0) > 0;
    const intro = hasImages
      ? `${WITH_MESSAGE} ${WITHOUT_IMAGES}`
      : WITH_MESSAGE;
    return `${intro}\n\n${text}`;
  }

  async #findPrompt(
    agentId: string,
    turnId: string,
  ): Promise<Entry | undefined> {
    const entries = newestFirst(this.#host, agentId);
    for await (const entry of entries) {
      if (entry.turnId !== turnId) continue;
      if (entry.message?.delivery === "prompt") return entry;
    }
    return undefined;
  }

  async #start({ id, mode }: AgentRecord): Promise<void> {
    const { fleet, signal } = this.#host;
    // A run has the agent to itself; the message waits for its end. A screen takes messages as it is.
    if (fleet.isTaken(id) || mode === "terminal") return;
    await fleet.start(id, signal);
  }

  async #cancel(agentId: string, taskId: string): Promise<void> {
    await this.#host.cancel(agentId, taskId).catch((error: unknown) => {
      const isSent = isGantryError(error) && error.code === "TASK_NOT_QUEUED";
      if (!isSent) throw error;
    });
  }
}

const changed = (agentId: string) =>
  AgentChanged.of(agentId, { fields: ["cutOff"] });
