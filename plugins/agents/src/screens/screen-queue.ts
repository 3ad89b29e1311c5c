import {
  createIdentifier,
  describeError,
  type Clock,
  type Log,
} from "@gantry/plugin";
import type { TerminalHost } from "@gantry/plugin-terminals/contract";
import { toMessageEntry } from "../live/delivery.ts";
import { Lanes } from "../live/lanes.ts";
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

/** How a message came to its screen, and what is known of it. */
interface Arrival {
  via: "receiver" | "paste";
  failure: string | null;
}

/** Sends messages to agents that are open in a terminal: by the receiver in the screen, else by pasting. */
export class ScreenQueue {
  readonly #host: ScreenQueueHost;
  readonly #lanes = new Lanes();

  constructor(host: ScreenQueueHost) {
    this.#host = host;
  }

  /** Sends what can be sent; nothing if the agent is not in a terminal. */
  pump(agentId: string): void {
    void this.#lanes
      .run(agentId, () => this.#drain(agentId))
      .catch((error: unknown) => this.#drainLater(agentId, error));
  }

  async #drain(agentId: string): Promise<void> {
    const { records, tasks, signal } = this.#host;
    while (!signal.aborted) {
      const agent = await records.agents.get(agentId);
      if (agent?.mode !== "terminal") return;
      // A message of a run is not for a screen: the run takes it back. One for another session waits.
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

  /** Nothing else would send the messages when the store is back. */
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
    // Before it is sent: after a crash, a message that is not in the transcript was certainly not.
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
    // It is in the screen already, so it must not be sent again for a store that takes nothing.
    await this.#settle(claimed, status, failure, via);
    await tasks.close(taskId);
  }

  async #settle(...given: Parameters<TaskBook["settle"]>): Promise<void> {
    await untilStored(() => this.#host.tasks.settle(...given), this.#host);
  }

  async #send(agent: AgentRecord, text: string): Promise<Arrival> {
    const confirmation = await this.#host.receivers.deliver(agent.id, text);
    if (confirmation) {
      const { ok, reason } = confirmation;
      const failure = ok ? null : (reason ?? "The CLI did not take it.");
      return { via: "receiver", failure };
    }
    return { via: "paste", failure: await this.#paste(agent, text) };
  }

  async #paste(agent: AgentRecord, text: string): Promise<string | null> {
    const { terminals, signal } = this.#host;
    const { terminalId, screen } = agent;
    const host = terminals();
    if (!host || terminalId === null || screen === null)
      return "Its terminal is not there.";
    try {
      const { incarnation } = screen;
      await host.paste({ id: terminalId, incarnation, text }, signal);
      return null;
    } catch (error) {
      return describeError(error);
    }
  }
}
