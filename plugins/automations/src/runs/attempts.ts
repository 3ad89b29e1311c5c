import { createIdentifier } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import { dueSlot } from "../schedule/plan.ts";
import type { Slots } from "../schedule/slots.ts";
import type { RunRecord } from "../wire/run.ts";
import type { Grant, Spending } from "../money/spending.ts";
import { labelOf, runnerOf, toLedger, toOrder, withClaim } from "./attempt.ts";
import type { Attempt, Claim } from "./attempt.ts";
import type { Executor } from "./executor.ts";
import { createAgentLink } from "./agent-link.ts";
import type { AgentLinkHost } from "./agent-link.ts";
import { passGates, startGate, windowsOf } from "./gates.ts";
import type { Judgement } from "./gates.ts";
import type { RunBook } from "./run-book.ts";

/** Dependencies of attempts. */
export interface AttemptHost extends AgentLinkHost {
  book: RunBook;
  executor: Executor;
  spending: Spending;
  slots: Slots;
  clock: Clock;
  /** Whether something that was due at a time is only made up for now. */
  isMissed(dueAt: number): boolean;
}

/** Tries to run automations: claims the slot, asks the gates, writes the run, starts it. */
export interface Attempts {
  /**
   * Gives the run as it was written: running, skipped or failed. `undefined` if a schedule had nothing to run: it was
   * switched off meanwhile, or its slot was claimed before.
   *
   * @throws `AUTOMATION_NOT_FOUND`; `AUTOMATION_OFF` for a webhook
   */
  attempt(attempt: Attempt): Promise<RunRecord | undefined>;
  /** Ends the run that is going. Gives whether there was one. */
  stop(automationId: string): boolean;
}

export function createAttempts(host: AttemptHost): Attempts {
  const { records, book, executor, slots, clock } = host;
  const agent = createAgentLink(host);
  const { automations, states, admissions, marks, lock } = records;

  /** The slot that a schedule fires for; the write of the run claims it. */
  function findClaim(
    attempt: Attempt,
    automation: AutomationRecord,
    state: AutomationState,
  ): Claim | undefined {
    if (!("scheduleId" in attempt)) return undefined;
    const { scheduleId } = attempt;
    const schedule = automation.schedules.find(({ id }) => id === scheduleId);
    const marks = state.schedules[scheduleId];
    if (!schedule || !marks) return undefined;
    const due = dueSlot(slots, schedule, marks, clock.now());
    if (!due) return undefined;
    const { offsetMs } = marks;
    const isMissed = host.isMissed(Date.parse(due.slotAt) + offsetMs);
    const trigger = isMissed ? "catch-up" : "schedule";
    return { schedule, due, offsetMs, trigger };
  }

  async function judge(
    attempt: Attempt,
    automation: AutomationRecord,
    state: AutomationState,
    claim: Claim | undefined,
    reserve: () => Grant,
  ): Promise<Judgement & { automation: AutomationRecord }> {
    let current = automation;
    const now = clock.now();
    const judgement = await passGates({
      trigger: claim?.trigger ?? attempt.trigger,
      automation,
      activeRunId: state.activeRunId,
      crashes: state.crashes,
      now,
      slot: claim
        ? {
            slotAt: claim.due.slotAt,
            offsetMs: claim.offsetMs,
            lateMs: now - Date.parse(claim.due.slotAt) - claim.offsetMs,
          }
        : null,
      countRuns: () =>
        admissions.count(automation.id, windowsOf(automation.limits), now),
      reserve,
      inspectAgent: () => agent.inspect(runnerOf(current)),
      async remakeAgent() {
        const remade = await agent.remake(automation);
        if ("problem" in remade) return remade;
        current = remade;
        return undefined;
      },
    });
    return { ...judgement, automation: current };
  }

  async function attemptLocked(
    attempt: Attempt,
  ): Promise<RunRecord | undefined> {
    let grant: Grant | undefined;
    const reserve = (maxCostUsd: number | null) =>
      (grant = host.spending.reserve(maxCostUsd));
    let isLaunched = false;
    try {
      const run = await attemptWith(attempt, reserve);
      isLaunched = run?.result === "running";
      return run;
    } finally {
      // What was set aside for a run that goes is given back at its end.
      if (!isLaunched) grant?.release();
    }
  }

  async function attemptWith(
    attempt: Attempt,
    reserve: (maxCostUsd: number | null) => Grant,
  ): Promise<RunRecord | undefined> {
    const found = await automations.get(attempt.automationId);
    if (!found) {
      if ("scheduleId" in attempt) return undefined;
      throw errors.AUTOMATION_NOT_FOUND({ id: attempt.automationId });
    }
    if (attempt.trigger === "webhook" && !found.enabled)
      throw errors.AUTOMATION_OFF();
    const before = await states.get(found.id);
    const claim = findClaim(attempt, found, before);
    if ("scheduleId" in attempt && !claim) return undefined;

    let grant: Grant | undefined;
    const { automation, decision, refusal } = await judge(
      attempt,
      found,
      before,
      claim,
      () => (grant = reserve(found.limits.maxCostUsd)),
    );
    if (refusal?.result === "skipped" && attempt.trigger === "webhook")
      attempt.beforeSkip();
    const now = clock.timestamp();
    const facts = {
      id: createIdentifier("run"),
      automationId: automation.id,
      number: before.runs + 1,
      scheduleId: claim?.schedule.id ?? null,
      scheduleLabel: claim ? labelOf(claim.schedule) : null,
      trigger: claim?.trigger ?? attempt.trigger,
      slotAt: claim?.due.slotAt ?? null,
      firedAt: now,
      agentId: runnerOf(automation),
      sessionId: null,
      problem: null,
      costUsd: null,
    };
    const state = claim ? withClaim(before, claim, now) : before;
    const toClaim = claim
      ? marks.toClaim(automation.id, claim.schedule.id, {
          at: now,
          slotAt: claim.due.slotAt,
        })
      : [];
    if (refusal) {
      const { result, reason, detail: message } = refusal;
      const ending = { result, reason, message, decision };
      const run = { ...facts, ...ending, startedAt: null, finishedAt: now };
      const operations = [...toClaim, ...(await toLedger(attempt, run))];
      const options = { admitted: false, operations };
      return (await book.add(automation, state, run, options)).run;
    }

    const room = executor.reserve();
    try {
      const order = toOrder(attempt, automation);
      const { maxCostUsd, isCut: isCostCut } = grant!;
      const ledger = await toLedger(attempt, {
        id: facts.id,
        result: "running",
        reason: null,
      });
      const operations = [...toClaim, ...ledger];
      if (!room.atOnce) {
        const queued = { ...order, maxCostUsd, isCostCut };
        operations.push(...records.queued.toAdd(facts.id, queued));
      }
      const { run } = await book.add(
        automation,
        state,
        {
          ...facts,
          startedAt: room.atOnce ? now : null,
          finishedAt: null,
          result: "running",
          reason: null,
          message: "",
          decision: [...decision, startGate(automation, room, maxCostUsd)],
        },
        { admitted: true, operations },
      );
      room.launch({ ...order, run, grant: grant! });
      return run;
    } catch (error) {
      room.release();
      throw error;
    }
  }

  return {
    stop: (automationId) => executor.cancel(automationId),
    attempt: (attempt) =>
      lock.run(attempt.automationId, () => attemptLocked(attempt)),
  };
}
