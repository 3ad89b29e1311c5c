import { TurnCharged, TurnFinished } from "../contract.ts";
import { createIdentifier } from "@gantry/plugin";
import { toLateCharge, toTurnCharge } from "../charges/charge-record.ts";
import {
  addUsage,
  type AgentSession,
  type DriverEvent,
  NO_USAGE,
} from "@gantry/agent-kit";
import type { AgentRecord } from "../records/agent-record.ts";
import { cutText } from "../transcript/entry.ts";
import { untilStored } from "../until-stored.ts";
import type { AgentJournal } from "./agent-journal.ts";
import { toCutOff, toCutOffEntry } from "./cut-off.ts";
import type { LiveHost } from "./live-host.ts";
import type { Turn, TurnOutcome } from "./turn.ts";
import { toTurnRecord } from "./turn-records.ts";

type Spending = Extract<DriverEvent, { type: "usage" }>;

const STOPPED = "The turn was stopped.";
/** Number of ended turns that late usage is still assigned to. */
const MAX_CLOSED = 10;

/** Further data to store at the end of a turn. */
export interface TurnClosing {
  resumeKey: string | null;
  /** The prompt of a turn that a stop of the daemon cut off; `undefined` for any other turn. */
  cutOff: { prompt: string } | undefined;
}

/** Records the usage and the ends of the turns of an open agent. */
export class TurnAccounts {
  /** The current model, as the CLI names it. */
  model: string | null;
  readonly #host: LiveHost;
  readonly #journal: AgentJournal;
  #reportedCostUsd: number | null;
  /** Usage that was reported before the first turn; it is added to the next turn. */
  #unclaimed = NO_USAGE;
  /** The turns that ended last, newest last. */
  readonly #closed = new Map<string, Turn>();

  constructor(host: LiveHost, journal: AgentJournal) {
    this.#host = host;
    this.#journal = journal;
    this.model = journal.agent.model;
    this.#reportedCostUsd = journal.agent.reportedCostUsd;
  }

  /** The fields of the record that belong to the current conversation. */
  conversationOf(
    session: AgentSession,
  ): Pick<AgentRecord, "sessionId" | "resumeKey" | "reportedCostUsd"> {
    const { sessionId, resumeKey } = session;
    // The running total belongs to one conversation.
    if (sessionId !== this.#journal.agent.sessionId)
      this.#reportedCostUsd = null;
    return { sessionId, resumeKey, reportedCostUsd: this.#reportedCostUsd };
  }

  /** Begins a turn, and adds usage to it that was reported before. */
  begin(turn: Turn): void {
    turn.spend(this.#unclaimed);
    this.#unclaimed = NO_USAGE;
  }

  /** Reverts {@link begin} for a turn that is discarded: its usage is added to the next turn. */
  revoke(turn: Turn): void {
    this.#unclaimed = addUsage(this.#unclaimed, turn.usage);
  }

  /** Records reported usage. Usage that arrives after the end of its turn is added to the stored turn. */
  async spend(running: Turn | undefined, spending: Spending): Promise<void> {
    const { usage, reportedCostUsd } = spending;
    this.#reportedCostUsd = reportedCostUsd;
    const turn = this.#turnOf(running, spending.turn);
    if (!turn) return void (this.#unclaimed = addUsage(this.#unclaimed, usage));
    turn.spend(usage);
    // Usage of this turn proves that the CLI received its prompt; usage that names no turn does not.
    if (spending.turn === running?.id) turn.hasWorked = true;
    this.#journal.publish("usage", { turnId: turn.id, usage: turn.usage });
    this.#host.watches.of(turn.origin.runId)?.onUsage(turn.usage);
    // Before the entry, since the store may accept the record although the transcript's disk is full.
    if (turn !== running) await this.#spendLate(turn, spending);
    // Each report is stored at once, so that a crash does not lose usage.
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

  /** The turn that usage belongs to; the latest one if that turn is no longer known, so that no usage is lost. */
  #turnOf(running: Turn | undefined, id: string | null): Turn | undefined {
    const closed = [...this.#closed.values()];
    const named = [running, ...closed].find((turn) => turn?.id === id);
    return named ?? running ?? closed.at(-1);
  }

  async #spendLate(
    turn: Turn,
    { usage, reportedCostUsd }: Spending,
  ): Promise<void> {
    const { turns, charges } = this.#host.records;
    const event = { turnId: turn.id, runId: turn.origin.runId, usage };
    const save = () =>
      this.#journal.save(
        (current) => ({
          usage: addUsage(current.usage, usage),
          reportedCostUsd,
        }),
        {
          // One batch, so that turn, charge and agent stay consistent after a crash.
          operations: async () => {
            const before = await turns.get(turn.id);
            if (!before) return [];
            const id = createIdentifier("chg");
            return [
              ...turns.toUpsert({
                ...before,
                usage: addUsage(before.usage, usage),
              }),
              ...charges.toInsert(toLateCharge(id, before, usage)).operations,
            ];
          },
          events: [TurnCharged.of(this.#journal.agentId, event)],
        },
      );
    await untilStored(save, this.#host);
  }

  /** Stores the end of a turn: its incomplete entries, its record, and the agent's totals. */
  async close(
    turn: Turn,
    outcome: TurnOutcome,
    { resumeKey, cutOff }: TurnClosing,
  ): Promise<void> {
    this.#remember(turn);
    await this.#writeEntries(turn, outcome, cutOff !== undefined);
    const { agentId, agent } = this.#journal;
    const { stopReason, usage, error, answer, sessionId } = outcome;
    const finishedAt = this.#host.clock.timestamp();
    const end = { ...outcome, model: this.model, finishedAt };
    const { turns, charges } = this.#host.records;
    const inserted = turns.toInsert(toTurnRecord(agent, turn.origin, end));
    const charge = charges.toInsert(toTurnCharge(inserted.record));
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
          activity: "idle",
          turn: null,
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
            ...charge.operations,
          ],
          events: [
            TurnFinished.of(agentId, event),
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
      // Continue: without the record, which the store may still accept, the agent would seem to be working.
      const { agentId } = this.#journal;
      this.#host.log.error(
        "The end of a turn could not be added to its conversation",
        { agent: agentId },
        cause,
      );
    }
  }
}
