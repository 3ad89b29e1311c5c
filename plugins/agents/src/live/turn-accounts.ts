import { TurnCharged, TurnFinished } from "../contract.ts";
import type { AgentSession, DriverEvent } from "../driver.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { cutText } from "../transcript/entry.ts";
import type { AgentJournal } from "./agent-journal.ts";
import type { LiveHost } from "./live-host.ts";
import type { Turn, TurnOutcome } from "./turn.ts";
import { toTurnRecord } from "./turn-records.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

type Spending = Extract<DriverEvent, { type: "usage" }>;

const STOPPED = "The turn was stopped.";

/** What the turns of an open agent cost, and how their ends are written down. */
export class TurnAccounts {
  /** The model that answers, as the CLI calls it. */
  model: string | null;
  readonly #host: LiveHost;
  readonly #journal: AgentJournal;
  #reportedCostUsd: number | null;
  /** Spent before any turn of this process. */
  #unclaimed = NO_USAGE;
  /** The turn that ended last. */
  #last: Turn | undefined;

  constructor(host: LiveHost, journal: AgentJournal) {
    this.#host = host;
    this.#journal = journal;
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

  /** Takes a report of spending. One that comes when its turn is over is added to what is written down of it. */
  async spend(running: Turn | undefined, spending: Spending): Promise<void> {
    const { usage, reportedCostUsd } = spending;
    this.#reportedCostUsd = reportedCostUsd;
    const turn = running ?? this.#last;
    if (!turn) return void (this.#unclaimed = addUsage(this.#unclaimed, usage));
    turn.spend(usage);
    this.#journal.publish("usage", { turnId: turn.id, usage: turn.usage });
    this.#host.watches.of(turn.origin.runId)?.onUsage(turn.usage);
    // Each report is written down as it comes: a crash must not make spending unknown.
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
    if (!running) await this.#spendLate(turn, spending);
  }

  async #spendLate(
    turn: Turn,
    { usage, reportedCostUsd }: Spending,
  ): Promise<void> {
    const { records, usage: book } = this.#host;
    const event = { turnId: turn.id, runId: turn.origin.runId, usage };
    await this.#journal.save(
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
            ...records.turns.toInsert(charged).operations,
            ...(await book.toCountLate(counted, usage)),
          ];
        },
        events: [TurnCharged.of(this.#journal.agentId, event)],
      },
    );
  }

  /** Writes the end of a turn: what was left of it, its record, and the agent's figures. */
  async close(
    turn: Turn,
    outcome: TurnOutcome,
    resumeKey: string | null,
  ): Promise<void> {
    this.#last = turn;
    await this.#writeEntries(turn, outcome);
    const { agentId, agent } = this.#journal;
    const { stopReason, usage, error, answer, sessionId } = outcome;
    const finishedAt = this.#host.clock.timestamp();
    const end = { ...outcome, model: this.model, finishedAt };
    const inserted = this.#host.records.turns.toInsert(
      toTurnRecord(agent, turn.origin, end),
    );
    const { runId } = turn.origin;
    const event = { turnId: turn.id, runId, stopReason, usage };
    await this.#journal.save(
      (current) => ({
        activity: "idle",
        turn: null,
        usage: addUsage(current.usage, usage),
        reportedCostUsd: this.#reportedCostUsd,
        sessionId,
        resumeKey,
        lastMessage:
          cutText(answer || (error ?? ""), 300).text || current.lastMessage,
      }),
      {
        operations: async () => [
          ...inserted.operations,
          ...(await this.#host.usage.toCount(inserted.record)),
        ],
        events: [TurnFinished.of(agentId, event)],
      },
    );
    this.#journal.publish("turn-ended", {
      turnId: turn.id,
      stopReason,
      error,
      usage,
    });
  }

  async #writeEntries(
    turn: Turn,
    { error, stopReason }: TurnOutcome,
  ): Promise<void> {
    const left = turn.leftovers();
    const own = { turnId: turn.id, role: "system" } as const;
    if (error !== null) left.push({ ...own, kind: "error", text: error });
    else if (stopReason === "cancelled")
      left.push({ ...own, kind: "notice", text: STOPPED });
    try {
      await this.#journal.append(left, true);
    } catch (cause) {
      // A disk that is full for a conversation may still take the record, without which the agent seems at work.
      const { agentId } = this.#journal;
      this.#host.log.error(
        "The end of a turn is missing in its conversation",
        { agent: agentId },
        cause,
      );
    }
  }
}
