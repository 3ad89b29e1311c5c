import type { NewEvent } from "@gantry/plugin";
import {
  TurnBlocked,
  TurnCharged,
  TurnFinished,
  UnaskedTurnFinished,
} from "../contract.ts";
import type { AgentSession, DriverEvent } from "../driver.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { cutText } from "../transcript/entry.ts";
import { untilStored } from "../until-stored.ts";
import type { AgentJournal } from "./agent-journal.ts";
import { toCutOff, toCutOffEntry } from "./cut-off.ts";
import type { Jobs } from "./jobs.ts";
import type { LiveHost } from "./live-host.ts";
import type { Turn, TurnOutcome } from "./turn.ts";
import { toTurnRecord } from "./turn-records.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

type Spending = Extract<DriverEvent, { type: "usage" }>;

const STOPPED = "The turn was stopped.";
/** Longest answer that is reported. */
const MAX_NEWS = 16 * 1024;
/** Longest message of a problem that is kept with the agent. */
const MAX_PROBLEM = 1000;
/** Turns whose late spending is still expected. */
const MAX_CLOSED = 10;

/** What else is stored at the end of a turn. */
export interface TurnClosing {
  resumeKey: string | null;
  /** A stop of the daemon cut it off; what the agent was at. */
  cutOff: { prompt: string } | undefined;
  /** Work continues in the background. */
  isWorking: boolean;
}

/** What the turns of an open agent cost, and how their ends are written down. */
export class TurnAccounts {
  /** The model that answers, as the CLI calls it. */
  model: string | null;
  readonly #host: LiveHost;
  readonly #journal: AgentJournal;
  readonly #jobs: Jobs;
  #reportedCostUsd: number | null;
  /** Spent before any turn of this process. */
  #unclaimed = NO_USAGE;
  /** The turns that ended last, the newest last. */
  readonly #closed = new Map<string, Turn>();

  constructor(host: LiveHost, journal: AgentJournal, jobs: Jobs) {
    this.#host = host;
    this.#journal = journal;
    this.#jobs = jobs;
    this.model = journal.agent.model;
    this.#reportedCostUsd = journal.agent.reportedCostUsd;
  }

  /** The fields of the record that belong to the conversation that is open now. */
  conversationOf(
    session: AgentSession,
  ): Pick<AgentRecord, "sessionId" | "resumeKey" | "reportedCostUsd"> {
    const { sessionId, resumeKey } = session;
    // The total of another conversation says nothing of this one.
    if (sessionId !== this.#journal.agent.sessionId)
      this.#reportedCostUsd = null;
    return { sessionId, resumeKey, reportedCostUsd: this.#reportedCostUsd };
  }

  /** What was spent before the first turn counts for it. */
  begin(turn: Turn): void {
    turn.spend(this.#unclaimed);
    this.#unclaimed = NO_USAGE;
  }

  /** There was no such turn: what it was given by {@link begin} is for the next. */
  revoke(turn: Turn): void {
    this.#unclaimed = addUsage(this.#unclaimed, turn.usage);
  }

  /** Takes a report of spending. One that comes when its turn is over is added to the turn's record. */
  async spend(running: Turn | undefined, spending: Spending): Promise<void> {
    const { usage, reportedCostUsd } = spending;
    this.#reportedCostUsd = reportedCostUsd;
    const turn = this.#turnOf(running, spending.turn);
    if (!turn) return void (this.#unclaimed = addUsage(this.#unclaimed, usage));
    turn.spend(usage);
    // Nothing is spent on a prompt that the CLI does not have. Late spending that names no turn proves nothing.
    if (spending.turn === running?.id) turn.hasWorked = true;
    this.#journal.publish("usage", { turnId: turn.id, usage: turn.usage });
    this.#host.watches.of(turn.origin.runId)?.onUsage(this.#jobs.usageOf(turn));
    // Before the entry: a disk that is full for a conversation may still take the record.
    if (turn !== running) await this.#spendLate(turn, spending);
    // Each report is stored as it comes: a crash must not make spending unknown.
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

  /** The turn that spending belongs to; the latest one if its own is not known any more, so that none is lost. */
  #turnOf(running: Turn | undefined, id: string | null): Turn | undefined {
    const closed = [...this.#closed.values()];
    const named = [running, ...closed].find((turn) => turn?.id === id);
    return named ?? running ?? closed.at(-1);
  }

  async #spendLate(
    turn: Turn,
    { usage, reportedCostUsd }: Spending,
  ): Promise<void> {
    const { records, usage: book } = this.#host;
    const event = { turnId: turn.id, runId: turn.origin.runId, usage };
    const save = () =>
      this.#journal.save(
        (current) => ({
          usage: addUsage(current.usage, usage),
          reportedCostUsd,
        }),
        {
          // One batch for the turn, the sums and the agent: a crash must not leave them apart.
          operations: async () => {
            const counted = await records.turns.get(turn.id);
            if (!counted) return [];
            const charged = {
              ...counted,
              usage: addUsage(counted.usage, usage),
            };
            return [
              ...records.turns.toUpsert(charged),
              ...(await book.toCountLate(counted, usage)),
            ];
          },
          events: [TurnCharged.of(this.#journal.agentId, event)],
        },
      );
    await untilStored(save, this.#host);
  }

  /** Stores the end of a turn: what was left of it, its record, and the agent's figures. */
  async close(
    turn: Turn,
    outcome: TurnOutcome,
    { resumeKey, cutOff, isWorking }: TurnClosing,
  ): Promise<void> {
    this.#remember(turn);
    await this.#writeEntries(turn, outcome, cutOff !== undefined);
    const { agentId, agent } = this.#journal;
    const { stopReason, usage, error, answer, sessionId } = outcome;
    const { problem = null } = outcome;
    const finishedAt = this.#host.clock.timestamp();
    const end = { ...outcome, model: this.model, finishedAt };
    const inserted = this.#host.records.turns.toInsert(
      toTurnRecord(agent, turn.origin, end),
    );
    const { runId } = turn.origin;
    const event = { turnId: turn.id, runId, stopReason, usage };
    const cut =
      cutOff &&
      toCutOff(agent, {
        turn: turn.origin,
        at: finishedAt,
        isQueued: false,
        ...cutOff,
      });
    const save = () =>
      this.#journal.save(
        (current) => ({
          activity: isWorking ? "working" : "idle",
          turn: null,
          problem: problem && {
            ...problem,
            turnId: turn.id,
            message: cutText(error ?? "", MAX_PROBLEM).text,
          },
          usage: addUsage(current.usage, usage),
          reportedCostUsd: this.#reportedCostUsd,
          sessionId,
          resumeKey,
          lastMessage:
            cutText(answer || (error ?? ""), 300).text || current.lastMessage,
          ...cut?.fields,
        }),
        {
          operations: async () => [
            ...inserted.operations,
            ...(await this.#host.usage.toCount(inserted.record)),
          ],
          events: [
            TurnFinished.of(agentId, event),
            ...toNews(agent, turn, outcome),
            ...(cut ? [cut.event] : []),
          ],
        },
      );
    await untilStored(save, this.#host);
    this.#journal.publish("turn-ended", {
      turnId: turn.id,
      stopReason,
      error,
      usage,
    });
  }

  #remember(turn: Turn): void {
    this.#closed.set(turn.id, turn);
    const [oldest] = this.#closed.keys();
    if (this.#closed.size > MAX_CLOSED && oldest !== undefined)
      this.#closed.delete(oldest);
  }

  async #writeEntries(
    turn: Turn,
    { error, stopReason }: TurnOutcome,
    isCutOff: boolean,
  ): Promise<void> {
    const left = turn.leftovers();
    const own = { turnId: turn.id, role: "system" } as const;
    if (isCutOff) left.push(toCutOffEntry(turn.id, false));
    else if (error !== null) left.push({ ...own, kind: "error", text: error });
    else if (stopReason === "cancelled")
      left.push({ ...own, kind: "notice", text: STOPPED });
    try {
      await this.#journal.append(left, true);
    } catch (cause) {
      // A disk that is full for a conversation may still take the record, without which the agent seems busy.
      const { agentId } = this.#journal;
      this.#host.log.error(
        "The end of a turn is missing in its conversation",
        { agent: agentId },
        cause,
      );
    }
  }
}

/** News that no caller waits for: the answer of a turn that the agent began by itself, and a problem that the user can solve. */
function toNews(
  { id, name, cli }: AgentRecord,
  turn: Turn,
  { stopReason, answer, error, problem }: TurnOutcome,
): NewEvent[] {
  const { runId } = turn.origin;
  const about = { turnId: turn.id, agentName: name };
  const isUnasked = !turn.isAsked && runId === null;
  const unasked = { ...about, answer: cutText(answer, MAX_NEWS).text, error };
  const message = cutText(error ?? "", MAX_PROBLEM).text;
  return [
    ...(isUnasked && !problem && stopReason !== "cancelled"
      ? [UnaskedTurnFinished.of(id, unasked)]
      : []),
    ...(problem
      ? [TurnBlocked.of(id, { ...about, ...problem, runId, cli, message })]
      : []),
  ];
}
