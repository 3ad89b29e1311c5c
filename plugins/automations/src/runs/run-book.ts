import type { Clock, Page, StoreOperation } from "@gantry/plugin";
import { RunFinished, RunStarted } from "../contract.ts";
import type { RunReason } from "../contract.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import type { Records } from "../records/records.ts";
import type { Outbox } from "../notify/outbox.ts";
import type { SpentBook, SpentChange } from "../money/spent.ts";
import { toSummary } from "../wire/run.ts";
import type { GateView, RunRecord } from "../wire/run.ts";
import { addCrash } from "./crashes.ts";
import { countDay } from "./run-days.ts";
import { clipMessage } from "./message.ts";

/** How a run ended. */
export interface RunEnd {
  /** A run that is skipped never began, and counts for no cap. */
  result: "done" | "failed" | "skipped";
  reason: RunReason | null;
  message: string;
  sessionId: string | null;
  problem: RunRecord["problem"];
  costUsd: number | null;
  /** Added to the why-record. */
  outcome: GateView;
  /** Whether the notification was sent before, so that none is sent now; `false` by default. */
  isTold?: boolean;
}

/** Writes runs and their results: the run, its automation's state and the events, in one batch. */
export interface RunBook {
  /** Writes a new run. The caller holds the automation's lock, and `state` is what it read with the run's effects. */
  add(
    automation: AutomationRecord,
    state: AutomationState,
    run: Omit<RunRecord, "createdAt" | "updatedAt" | "revision">,
    options: { admitted: boolean; operations?: readonly StoreOperation[] },
  ): Promise<{ run: RunRecord; state: AutomationState }>;
  /** A run that waited has begun. */
  begin(run: RunRecord): Promise<void>;
  /**
   * Ends a run that is still running; a run that has ended stays as it is.
   *
   * @param toEnd Called under the lock of the automation. It may be called again if the write fails and is repeated.
   */
  finish(run: RunRecord, toEnd: () => Promise<RunEnd>): Promise<void>;
  /** Runs that have not ended, page by page. */
  unfinished(cursor: string | undefined): Promise<Page<RunRecord>>;
}

/**
 * @param kept How many runs of an automation are kept.
 * @param outbox Sends notifications of their ends.
 * @param spent What adds up their costs.
 */
export function createRunBook(
  records: Records,
  clock: Clock,
  kept: number,
  outbox: Pick<Outbox, "toNote" | "post">,
  spent: Pick<SpentBook, "toAdd" | "toSettle">,
): RunBook {
  const { automations, states, runs, queued, admissions, sums, marks, lock } =
    records;

  /** A snapshot in which it has not ended must not have it begin or end once more. */
  const toNoteEnd = (
    run: RunRecord,
    { result, reason, costUsd }: Omit<RunEnd, "outcome">,
  ): StoreOperation[] =>
    marks.toNoteRun(run.id, {
      at: clock.timestamp(),
      end: { result, reason, costUsd },
    });

  /** What forgets runs that are too old: up to two, so that one that was passed over or a smaller limit is made up for. */
  async function toForget(
    automationId: string,
    newest: number,
  ): Promise<StoreOperation[]> {
    if (newest <= kept) return [];
    const oldest = await runs.list({
      index: "automation",
      prefix: [automationId],
      order: "ascending",
      limit: 2,
      // A run that is going is written to once more.
      filter: ({ result }) => result !== "running",
    });
    return oldest.items
      .filter(({ number }) => number <= newest - kept)
      .flatMap((run) => runs.toRemove(run));
  }

  /** A deleted automation's runs go with it, but what they cost was spent all the same. */
  async function settleDeleted(run: RunRecord, end: RunEnd): Promise<void> {
    const { id, startedAt } = run;
    const { costUsd } = end;
    const hasBegun = startedAt !== null || costUsd !== null;
    const { operations, done } = spent.toSettle(
      id,
      hasBegun ? costUsd : undefined,
    );
    await records.batch([...operations, ...toNoteEnd(run, end)]);
    done();
  }

  return {
    async add(automation, before, run, { admitted, operations = [] }) {
      const inserted = runs.toInsert(run);
      const number = before.admissions + 1;
      const state: AutomationState = {
        ...before,
        runs: inserted.record.number,
        lastRun: toSummary(inserted.record),
        days: countDay(before.days, inserted.record),
        ...(admitted ? { admissions: number, activeRunId: run.id } : undefined),
      };
      const note = outbox.toNote(automation, inserted.record);
      await records.batch(
        [
          ...inserted.operations,
          ...operations,
          ...note,
          ...(await toForget(automation.id, state.runs)),
          ...states.toWrite(state),
          ...(run.result === "running"
            ? []
            : await sums.toCount(inserted.record)),
          ...(admitted
            ? admissions.toAdd(automation.id, number, run.firedAt)
            : []),
        ],
        run.result === "running"
          ? startedEvents(automation, inserted.record)
          : [finishedEvent(automation, inserted.record)],
      );
      if (note.length > 0) outbox.post(run.id);
      return { run: inserted.record, state };
    },

    begin: (run) =>
      lock.run(run.automationId, async () => {
        const automation = await automations.get(run.automationId);
        if (!automation) return;
        const state = await states.get(run.automationId);
        await runs.update(run.id, (current) => {
          if (current.result !== "running") return undefined;
          const record = { ...current, startedAt: clock.timestamp() };
          return {
            record,
            operations: [
              ...states.toWrite(withLast(state, record)),
              ...queued.toRemove(run.id),
              ...marks.toNoteRun(run.id, { at: clock.timestamp(), end: null }),
            ],
            events: startedEvents(automation, record),
          };
        });
      }),

    finish: (run, toEnd) =>
      lock.run(run.automationId, async () => {
        const { outcome, isTold = false, ...ending } = await toEnd();
        const automation = await automations.get(run.automationId);
        if (!automation)
          return await settleDeleted(run, { outcome, ...ending });
        const state = await states.get(run.automationId);
        let isNoted = false;
        let cost: SpentChange | undefined;
        await runs.update(run.id, async (current) => {
          if (current.result !== "running") return undefined;
          const record: RunRecord = {
            ...current,
            ...ending,
            message: clipMessage(ending.message),
            decision: [...current.decision, outcome],
            finishedAt: clock.timestamp(),
          };
          const isSkipped = record.result === "skipped";
          if (isSkipped) record.startedAt = null;
          cost = spent.toAdd(record);
          const activeRunId =
            state.activeRunId === run.id ? null : state.activeRunId;
          const note = isTold ? [] : outbox.toNote(automation, record);
          const crash = await addCrash(marks, state, record);
          isNoted = note.length > 0;
          return {
            record,
            operations: [
              ...states.toWrite(
                withLast(
                  {
                    ...state,
                    activeRunId,
                    days: countDay(state.days, record),
                    crashes: crash.crashes,
                  },
                  record,
                ),
              ),
              ...queued.toRemove(run.id),
              ...toNoteEnd(run, ending),
              ...crash.note,
              // Runs of an automation never overlap, so that the last admission is this run's.
              ...(isSkipped
                ? admissions.toRemove(automation.id, state.admissions)
                : []),
              ...(await sums.toCount(record)),
              ...note,
              ...cost.operations,
            ],
            events: [finishedEvent(automation, record)],
          };
        });
        cost?.done();
        if (isNoted) outbox.post(run.id);
      }),

    unfinished: (cursor) => runs.list({ index: "running", limit: 100, cursor }),
  };
}

/** A run that ended late is not the last one if another was fired after it. */
function withLast(state: AutomationState, run: RunRecord): AutomationState {
  const isLast = run.number >= (state.lastRun?.number ?? 0);
  return isLast ? { ...state, lastRun: toSummary(run) } : state;
}

function toStory(automation: AutomationRecord, run: RunRecord) {
  return {
    automationId: automation.id,
    automationName: automation.name,
    runId: run.id,
    trigger: run.trigger,
    scheduleLabel: run.scheduleLabel,
  };
}

function startedEvents(automation: AutomationRecord, run: RunRecord) {
  if (run.startedAt === null || run.agentId === null) return [];
  const story = toStory(automation, run);
  return [RunStarted.of(automation.id, { ...story, agentId: run.agentId })];
}

function finishedEvent(automation: AutomationRecord, run: RunRecord) {
  const { result, reason, costUsd, message, agentId, sessionId, problem } = run;
  return RunFinished.of(automation.id, {
    ...toStory(automation, run),
    // Only called for runs that have ended.
    result: result as Exclude<typeof result, "running">,
    reason,
    costUsd,
    message,
    agentId,
    sessionId,
    problem,
  });
}
