import {
  createIdentifier,
  describeError,
  type Clock,
  type Log,
} from "@gantry/plugin";
import type { TerminalHost } from "@gantry/plugin-terminals/contract";
import { toMessageEntry } from "../live/delivery.ts";
import { KeyedMutex } from "../live/keyed-mutex.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import { isOutage, OUTAGE_RETRY_MS, untilStored } from "../until-stored.ts";
import type { Receivers } from "./receivers.ts";

/** Dependencies of {@link ScreenQueue}. */
export interface ScreenQueueHost {
  records: Records;
  tasks: TaskBook;
  transcripts: Transcripts;
  streams: AgentStreams;
  receivers: Receivers;
  terminals: () => TerminalHost | undefined;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** The outcome of sending a message to a screen. */
interface ScreenDelivery {
  via: "receiver" | "paste";
  /** Why it failed; `null` if it did not. */
  failure: string | null;
}

/** Delivers queued messages to agents that are open in a terminal: through the screen's receiver, else by pasting. */
export class ScreenQueue {
  readonly #host: ScreenQueueHost;
  readonly #mutex = new KeyedMutex();

  constructor(host: ScreenQueueHost) {
    this.#host = host;
  }

  /** Delivers the queued messages of an agent in a terminal. Returns at once. */
  pump(agentId: string): void {
    void this.#mutex
      .run(agentId, () => this.#drain(agentId))
      .catch((error: unknown) => this.#drainLater(agentId, error));
  }

  async #drain(agentId: string): Promise<void> {
    const { records, tasks, signal } = this.#host;
    while (!signal.aborted) {
      const agent = await records.agents.get(agentId);
      if (agent?.mode !== "terminal") return;
      // A message of a run is not sent to a screen; the run cancels it. A message for another session stays queued.
      const next = await tasks.firstQueued(
        agentId,
        ({ runId, sessionId }) =>
          runId === null &&
          (sessionId === null || sessionId === agent.sessionId),
      );
      if (!next) return;
      await this.#hand(agent, next);
    }
  }

  /** Tries again later after an outage of the store, since nothing else would send the messages then. */
  #drainLater(agentId: string, error: unknown): void {
    const { clock, log, signal } = this.#host;
    if (signal.aborted) return;
    log.error("Messages could not be sent", { agent: agentId }, error);
    if (isOutage(error)) clock.after(OUTAGE_RETRY_MS, () => this.pump(agentId));
  }

  async #hand(agent: AgentRecord, task: TaskRecord): Promise<void> {
    const { tasks, transcripts, streams } = this.#host;
    const turnId = createIdentifier("trn");
    const claimed = await tasks.claim(task, turnId);
    if (!claimed) return;
    const { id: taskId, runId, source, message: text } = task;
    const entry = toMessageEntry(
      { turnId, taskId, runId, source, text, context: "", images: [] },
      "prompt",
    );
    // Before it is sent: after a crash, a message that is not in the transcript was certainly not sent.
    const stored = await transcripts
      .of(agent.id)
      .append([entry], { durable: true })
      .catch(async (error: unknown) => {
        await this.#settle(claimed, "queued", null, null);
        throw error;
      });
    for (const one of stored) streams.publish(agent.id, "entry", one);
    const { via, failure } = await this.#send(agent, text);
    const status = failure === null ? "delivered" : "failed";
    // Repeated during an outage of the store, since the message was sent and must not be sent again.
    await this.#settle(claimed, status, failure, via);
    await tasks.close(taskId);
  }

  async #settle(...given: Parameters<TaskBook["settle"]>): Promise<void> {
    await untilStored(() => this.#host.tasks.settle(...given), this.#host);
  }

  async #send(agent: AgentRecord, text: string): Promise<ScreenDelivery> {
    const confirmation = await this.#host.receivers.deliver(agent.id, text);
    if (confirmation) {
      const { ok, reason } = confirmation;
      const failure = ok ? null : (reason ?? "The CLI did not accept it.");
      return { via: "receiver", failure };
    }
    return { via: "paste", failure: await this.#paste(agent, text) };
  }

  async #paste(agent: AgentRecord, text: string): Promise<string | null> {
    const { terminals, signal } = this.#host;
    const { terminalId, screen } = agent;
    const host = terminals();
    if (!host || terminalId === null || screen === null)
      return "Its terminal is missing.";
    try {
      const { incarnation } = screen;
      await host.paste({ id: terminalId, incarnation, text }, signal);
      return null;
    } catch (error) {
      return describeError(error);
    }
  }
}
