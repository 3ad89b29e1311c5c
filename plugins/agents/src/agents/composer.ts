import type { Clock } from "@gantry/plugin";
import { raceAbort, timeoutSignal } from "../abort.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { PromptImage } from "../driver.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { TurnOutcome } from "../live/turn.ts";
import { checkImages } from "../queue/attachments.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { TaskWaiters } from "../queue/task-waiters.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { AgentBook } from "./agent-book.ts";
import type { EarlierSessions } from "./earlier-sessions.ts";

/** Dependencies of {@link Composer}. */
export interface ComposerHost {
  book: AgentBook;
  catalog: CliCatalog;
  fleet: Fleet;
  sessions: EarlierSessions;
  tasks: TaskBook;
  waiters: TaskWaiters;
  /** Sends what can be sent to an agent. */
  pump(agentId: string): void;
  /** Starts an agent for messages that wait for it. */
  wake(agentId: string): void;
  clock: Clock;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** A message for an agent. */
export interface Message {
  agentId: string;
  kind: TaskRecord["kind"];
  message: string;
  images?: readonly PromptImage[];
  source: string;
  /** The session that it goes to; the one at hand if missing. */
  sessionId?: string;
}

/** Where a message is now. */
export interface Sending {
  taskId: string;
  delivery: "sent" | "queued";
}

/** The answer of a turn. */
export interface Answer {
  answer: string;
  costUsd: number | null;
  stopReason: "end" | "cancelled" | "refused";
}

/** The time for an answer is up. */
class StillWorking extends Error {}

/** Sends messages to agents. */
export class Composer {
  readonly #host: ComposerHost;

  constructor(host: ComposerHost) {
    this.#host = host;
  }

  /** Queues a message and starts a closed agent for it. What keeps the agent from starting is thrown before. */
  async prompt(input: Message, signal: AbortSignal): Promise<Sending> {
    const { fleet, tasks } = this.#host;
    const agent = await this.#prepare(input, signal);
    if (agent.mode === "terminal") return await this.#type(input);
    const live = fleet.receiver(input.agentId);
    const isSent =
      input.kind === "steer" && live?.turn !== undefined
        ? true
        : live !== undefined &&
          !live.isBusy &&
          !(await tasks.isPending(input.agentId));
    const follows = input.kind === "prompt" && !isSent;
    const task = await tasks.add({
      ...input,
      kind: follows ? "follow_up" : input.kind,
      startsAgent: true,
    });
    this.#send(input.agentId);
    return { taskId: task.id, delivery: isSent ? "sent" : "queued" };
  }

  /** Queues a message without starting the agent. */
  async enqueue(input: Message): Promise<TaskRecord> {
    const agent = await this.#host.book.get(input.agentId);
    checkMessage(input);
    this.#checkKind(agent.cli, input);
    const task = await this.#host.tasks.add({ ...input, startsAgent: false });
    this.#host.pump(input.agentId);
    return task;
  }

  /**
   * Sends a message and waits for its turn. An abort ends the waiting, never the turn.
   *
   * @throws AGENT_STILL_WORKING when the time is up, AGENT_TURN_FAILED, AGENT_CLOSED
   */
  async ask(
    agentId: string,
    text: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { tasks, waiters, clock } = this.#host;
    const input: Message = {
      agentId,
      kind: "prompt",
      message: text,
      source: "ask",
    };
    const agent = await this.#prepare(input, signal);
    // Nothing tells when a turn on the CLI's own screen is over.
    if (agent.mode === "terminal")
      throw errors.AGENT_IN_TERMINAL({ id: agentId });
    const task = await tasks.add({ ...input, startsAgent: true });
    const outcome = waiters.outcomeOf(task);
    this.#send(agentId);
    const timeout = timeoutSignal(clock, timeoutMs, new StillWorking());
    const stopping = AbortSignal.any([
      signal,
      timeout.signal,
      this.#host.signal,
    ]);
    try {
      return toAnswer(await raceAbort(outcome, stopping));
    } catch (error) {
      if (this.#host.signal.aborted)
        throw errors.AGENT_STOPPING({}, { cause: error });
      if (error instanceof StillWorking) throw this.#toOverdue(task, timeoutMs);
      throw error;
    } finally {
      timeout.clear();
      waiters.forget(task.id);
    }
  }

  #toOverdue({ id: taskId, agentId }: TaskRecord, timeoutMs: number): Error {
    const said = this.#host.fleet.get(agentId)?.describe();
    const doing = said ? ` ${said}` : "";
    return errors.AGENT_STILL_WORKING(
      { timeoutMs, taskId, doing },
      { members: { taskId } },
    );
  }

  /** Checks a message and opens the agent for it. */
  async #prepare(input: Message, signal: AbortSignal): Promise<AgentRecord> {
    const { book, fleet, sessions } = this.#host;
    const agent = await book.get(input.agentId);
    checkMessage(input);
    this.#checkKind(agent.cli, input);
    const earlier = isAtHand(agent, input.sessionId)
      ? undefined
      : input.sessionId;
    if (earlier !== undefined) await sessions.find(agent, earlier);
    if (agent.mode === "terminal") {
      // A screen takes messages as it is.
      if (earlier !== undefined)
        throw errors.AGENT_IN_TERMINAL({ id: agent.id });
      return agent;
    }
    // A run has the agent to itself; the message waits for its end.
    if (!fleet.isTaken(agent.id)) {
      // What is before it in the queue goes to the session at hand.
      if (earlier !== undefined && (await this.#isAtRest(agent.id)))
        await sessions.open(agent.id, earlier, signal);
      else await fleet.start(agent.id, signal);
    }
    this.#checkKind(agent.cli, input);
    return agent;
  }

  async #isAtRest(agentId: string): Promise<boolean> {
    const { fleet, tasks } = this.#host;
    return !fleet.isBusy(agentId) && !(await tasks.isPending(agentId));
  }

  /** Sends a message into the CLI's own screen, which takes text alone. */
  async #type(input: Message): Promise<Sending> {
    const { tasks } = this.#host;
    if (input.images && input.images.length > 0)
      throw errors.AGENT_IN_TERMINAL({ id: input.agentId });
    const isSent = !(await tasks.isPending(input.agentId));
    const task = await tasks.add({ ...input, startsAgent: true });
    this.#send(input.agentId);
    return { taskId: task.id, delivery: isSent ? "sent" : "queued" };
  }

  /** Sends what waits. The agent may have been closed while the message was written down. */
  #send(agentId: string): void {
    const { fleet, pump, wake } = this.#host;
    pump(agentId);
    if (!fleet.receiver(agentId)) wake(agentId);
  }

  /** @throws AGENT_UNSUPPORTED */
  #checkKind(cli: string, { kind, images = [] }: Message): void {
    const capabilities = this.#host.catalog.capabilities(cli);
    if (kind === "steer" && !capabilities.steer)
      throw errors.AGENT_UNSUPPORTED({ cli, capability: "steer" });
    if (images.length > 0 && !capabilities.images)
      throw errors.AGENT_UNSUPPORTED({ cli, capability: "images" });
  }
}

function isAtHand(
  { sessionId, fork }: AgentRecord,
  wanted: string | undefined,
): boolean {
  // A branch that has not begun is to be a session of its own.
  return wanted === undefined || (sessionId === wanted && fork === null);
}

/** @throws AGENT_MESSAGE_EMPTY, AGENT_IMAGE_INVALID */
function checkMessage({ message, images = [] }: Message): void {
  if (message.trim() === "" && images.length === 0)
    throw errors.AGENT_MESSAGE_EMPTY();
  checkImages(images);
}

function toAnswer({ stopReason, answer, error, usage }: TurnOutcome): Answer {
  if (stopReason === "error")
    throw errors.AGENT_TURN_FAILED({ reason: error ?? "no reason given" });
  return { answer, costUsd: usage.costUsd, stopReason };
}
