import { createIdentifier } from "@gantry/plugin";
import { TurnFinished } from "../contract.ts";
import type { AgentSession, DriverEvent, PromptImage } from "../driver.ts";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import {
  cutText,
  MAX_MESSAGE_TEXT,
  type NewEntry,
} from "../transcript/entry.ts";
import { AgentJournal } from "./agent-journal.ts";
import type { LiveHost } from "./live-host.ts";
import { LiveDialogs } from "./live-dialogs.ts";
import { Turn, type TurnOutcome } from "./turn.ts";
import { toTurnRecord } from "./turn-records.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** A message on its way to the CLI. */
export interface Delivery {
  turnId: string;
  taskId: string | null;
  runId: string | null;
  source: string;
  text: string;
  images: readonly PromptImage[];
}

type TurnEnd = Extract<DriverEvent, { type: "turn-ended" }>;

/** An agent is at work already; what came stays in the queue. */
export class AgentBusy extends Error {}

/** The turn was stopped before its prompt was sent. */
export class StoppedBefore extends Error {
  constructor() {
    super("It was stopped before it was sent.");
  }
}

const CANCELLED: TurnEnd = {
  type: "turn-ended",
  stopReason: "cancelled",
  answer: "",
  error: null,
};

/** An agent whose process is open: what it tells becomes records, entries and messages to those who watch. */
export class LiveAgent {
  readonly agentId: string;
  readonly dialogs: LiveDialogs;
  /** Called when a turn is over and written down. */
  onRest: () => void = () => undefined;
  /** It is being closed by us. */
  isClosing = false;
  readonly #host: LiveHost;
  readonly #journal: AgentJournal;
  readonly #lifetime = new AbortController();
  #session: AgentSession | undefined;
  #turn: Turn | undefined;
  #finishing: Promise<void> | undefined;
  #model: string | null;
  #reportedCostUsd: number | null;
  #unclaimed = NO_USAGE;

  constructor(host: LiveHost, agent: AgentRecord) {
    this.#host = host;
    this.agentId = agent.id;
    this.#journal = new AgentJournal(host, agent);
    this.#model = agent.model;
    this.#reportedCostUsd = agent.reportedCostUsd;
    this.dialogs = new LiveDialogs({
      journal: this.#journal,
      log: host.log,
      session: () => this.session,
      turnId: () => this.#turn?.id ?? null,
      watch: () => host.watches.of(this.#turn?.origin.runId),
      signal: this.#lifetime.signal,
    });
  }

  /** @throws AGENT_CLOSED */
  get session(): AgentSession {
    if (!this.#session || this.#lifetime.signal.aborted)
      throw errors.AGENT_CLOSED();
    return this.#session;
  }

  get turn(): Turn | undefined {
    return this.#turn;
  }

  get isBusy(): boolean {
    return this.#turn !== undefined || this.#finishing !== undefined;
  }

  /** What is growing right now, for those who begin to watch. */
  snapshot(): object {
    return {
      turn: this.#turn?.snapshot() ?? null,
      dialogs: this.dialogs.shown,
    };
  }

  /** The session is open, and so is the agent. */
  async attach(session: AgentSession): Promise<void> {
    this.#session = session;
    const { sessionId, resumeKey } = session;
    // The total of another conversation says nothing of this one.
    if (sessionId !== this.#journal.agent.sessionId)
      this.#reportedCostUsd = null;
    const reportedCostUsd = this.#reportedCostUsd;
    await this.#journal.save({
      state: "open",
      mode: "managed",
      activity: "idle",
      sessionId,
      resumeKey,
      reportedCostUsd,
    });
  }

  /**
   * Hands a prompt over and begins its turn. Resolves when the CLI has taken it. Rejects if it did not; the turn is
   * then over. Rejects with {@link AgentBusy} if there is a turn already.
   */
  async deliver(delivery: Delivery, signal: AbortSignal): Promise<Turn> {
    const { session } = this;
    if (this.isBusy) throw new AgentBusy();
    const turn = this.#begin(delivery.turnId, delivery.taskId, delivery.runId);
    try {
      await this.#journal.save({ activity: "working", turn: turn.origin });
      // Before the CLI gets it: after a crash, a message that is not in the transcript was certainly not sent.
      await this.#journal.append([toMessageEntry(delivery, "prompt")], true);
      if (turn.isStopped || this.isClosing) throw new StoppedBefore();
      turn.isSent = true;
      await session.prompt(
        { text: delivery.text, images: delivery.images },
        signal,
      );
    } catch (error) {
      // Who closes an agent stops its turn, whether the CLI had said anything of it yet or not.
      await this.#finish(turn, this.isClosing ? CANCELLED : toFailure(error));
      if (!this.isClosing) throw error;
    }
    return turn;
  }

  /** Hands a message into the running turn. Rejects if the CLI did not take it. */
  async steer(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { session } = this;
    await this.#journal.append([toMessageEntry(delivery, "steer")], true);
    await session.steer(
      { text: delivery.text, images: delivery.images },
      signal,
    );
  }

  /** Tells the CLI to stop its turn, and that nobody will answer its questions. */
  async abort(signal: AbortSignal): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    // A CLI that hears of the stop before it hears of the prompt would go on with it.
    if (turn.isSent) await this.session.abort(signal);
    else turn.isStopped = true;
    await this.dialogs.closeAll();
  }

  /** Takes what the driver tells. A fault of ours costs this event, never the session. */
  async take(event: DriverEvent): Promise<void> {
    try {
      await this.#take(event);
    } catch (error) {
      this.#host.log.error(
        "What an agent told could not be kept",
        { agent: this.agentId, type: event.type },
        error,
      );
    }
  }

  /** The process is gone: ends what was open, and the agent is closed. */
  async ended(
    stopReason: "cancelled" | "error",
    message: string,
  ): Promise<void> {
    this.#lifetime.abort();
    const turn = this.#turn;
    const error = stopReason === "error" ? message : null;
    if (turn)
      await this.#finish(turn, {
        type: "turn-ended",
        stopReason,
        answer: "",
        error,
      });
    await this.#finishing;
    await this.dialogs.closeAll();
    if (!turn && error !== null) {
      await this.#journal.append([
        { turnId: null, role: "system", kind: "notice", ...cutText(error) },
      ]);
    }
    await this.#journal.save({
      state: "closed",
      mode: null,
      activity: "idle",
      turn: null,
      dialogs: [],
    });
    await this.#host.transcripts.of(this.agentId).close();
  }

  async #take(event: DriverEvent): Promise<void> {
    const turn = this.#turn;
    switch (event.type) {
      case "turn-started":
        return turn ? undefined : await this.#beginUnasked();
      case "delta": {
        if (!turn) return;
        const entryId = turn.grow(event.channel, event.text);
        return this.#journal.publish("delta", {
          entryId,
          kind: event.channel,
          text: event.text,
        });
      }
      case "message":
        return (
          turn &&
          (await this.#journal.append([
            turn.complete(event.channel, event.text),
          ]))
        );
      case "tool-started":
        return turn && this.#journal.publish("tool", turn.beginTool(event));
      case "tool-progress": {
        const tool = turn?.growTool(event.callId, event.output);
        return tool && this.#journal.publish("tool", tool);
      }
      case "tool-ended": {
        const entry = turn?.endTool(event.callId, event.failed, event.output);
        return entry && (await this.#journal.append([entry]));
      }
      case "usage":
        return await this.#spend(event);
      case "dialog-opened":
        return await this.dialogs.ask(event.dialog);
      case "dialog-closed":
        return await this.dialogs.withdraw(event.dialogId);
      case "model":
        this.#model = event.model;
        return;
      case "session":
        return await this.#journal.save({
          sessionId: event.sessionId,
          resumeKey: event.resumeKey,
        });
      case "notice":
        return await this.#journal.append([
          {
            turnId: turn?.id ?? null,
            role: "system",
            kind: "notice",
            ...cutText(event.text),
          },
        ]);
      case "turn-ended":
        return turn && (await this.#finish(turn, event));
    }
  }

  #begin(id: string, taskId: string | null, runId: string | null): Turn {
    const turn = new Turn({
      id,
      taskId,
      runId,
      startedAt: this.#host.clock.timestamp(),
    });
    turn.spend(this.#unclaimed);
    this.#unclaimed = NO_USAGE;
    this.#turn = turn;
    this.#journal.publish("turn-started", { turnId: id, taskId, runId });
    return turn;
  }

  /** The CLI began to work by itself, as extensions may make it do. */
  async #beginUnasked(): Promise<void> {
    const turn = this.#begin(createIdentifier("trn"), null, null);
    turn.isSent = true;
    await this.#journal.save({ activity: "working", turn: turn.origin });
  }

  async #spend({
    usage,
    reportedCostUsd,
  }: Extract<DriverEvent, { type: "usage" }>): Promise<void> {
    this.#reportedCostUsd = reportedCostUsd;
    const turn = this.#turn;
    // Some agents report a moment before or after their turns; what was spent then counts for the next one.
    if (!turn) return void (this.#unclaimed = addUsage(this.#unclaimed, usage));
    turn.spend(usage);
    this.#journal.publish("usage", { turnId: turn.id, usage: turn.usage });
    this.#host.watches.of(turn.origin.runId)?.onUsage(turn.usage);
    await this.#journal.append([
      {
        turnId: turn.id,
        role: "system",
        kind: "usage",
        text: "",
        usage,
        reportedCostUsd,
      },
    ]);
  }

  /** Ends a turn once: what was open in it, its record, the agent's figures, and those who wait. */
  async #finish(turn: Turn, end: TurnEnd): Promise<void> {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    const outcome: TurnOutcome = {
      stopReason: end.stopReason,
      answer: end.answer,
      error: end.error === null ? null : cutText(end.error, 4000).text,
      usage: turn.usage,
      sessionId: this.#session?.sessionId ?? this.#journal.agent.sessionId,
    };
    const written = this.#writeEnd(turn, outcome).finally(() => {
      this.#finishing = undefined;
      turn.finish(outcome);
      this.onRest();
    });
    this.#finishing = written.catch(() => undefined);
    await written;
  }

  async #writeEnd(turn: Turn, outcome: TurnOutcome): Promise<void> {
    const { stopReason, usage, error } = outcome;
    const left = turn.leftovers();
    if (error !== null)
      left.push({
        turnId: turn.id,
        role: "system",
        kind: "error",
        text: error,
      });
    await this.dialogs.closeAll();
    await this.#journal.append(left, true);
    const finishedAt = this.#host.clock.timestamp();
    const record = toTurnRecord(this.#journal.agent, turn.origin, {
      ...outcome,
      model: this.#model,
      finishedAt,
    });
    await this.#journal.save(
      (current) => ({
        activity: "idle",
        turn: null,
        usage: addUsage(current.usage, usage),
        reportedCostUsd: this.#reportedCostUsd,
        sessionId: this.#session?.sessionId ?? current.sessionId,
        resumeKey: this.#session?.resumeKey ?? current.resumeKey,
        lastMessage:
          cutText(outcome.answer || (error ?? ""), 300).text ||
          current.lastMessage,
      }),
      {
        operations: this.#host.records.turns.toInsert(record).operations,
        events: [
          TurnFinished.of(this.agentId, {
            turnId: turn.id,
            runId: turn.origin.runId,
            stopReason,
            usage,
          }),
        ],
      },
    );
    this.#journal.publish("turn-ended", {
      turnId: turn.id,
      stopReason,
      error,
      usage,
    });
  }
}

function toMessageEntry(
  delivery: Delivery,
  kind: "prompt" | "steer",
): NewEntry {
  const { turnId, taskId, source, text, images } = delivery;
  return {
    turnId,
    role: "user",
    kind: "text",
    ...cutText(text, MAX_MESSAGE_TEXT),
    message: { taskId, source, delivery: kind, images: images.length },
  };
}

function toFailure(error: unknown): TurnEnd {
  if (error instanceof StoppedBefore) return CANCELLED;
  const message = error instanceof Error ? error.message : String(error);
  return {
    type: "turn-ended",
    stopReason: "error",
    answer: "",
    error: message,
  };
}
