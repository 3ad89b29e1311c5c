import { createIdentifier } from "@gantry/plugin";
import type { Clock, StoreOperation } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import { dueSlot } from "../schedule/plan.ts";
import type { DueSlot } from "../schedule/plan.ts";
import type { Slots } from "../schedule/slots.ts";
import { describeTimes } from "../schedule/words.ts";
import type { StoredSchedule } from "../wire/schedule.ts";
import type { RunRecord } from "../wire/run.ts";
import type { Executor } from "./executor.ts";
import { createAgentLink } from "./agent-link.ts";
import type { AgentLinkHost } from "./agent-link.ts";
import { passGates, startGate, windowsOf } from "./gates.ts";
import type { Judgement } from "./gates.ts";
import { withPayload } from "./payload.ts";
import type { RunBook } from "./run-book.ts";

/** A wish to run an automation. */
export type Attempt = { automationId: string } & (
  | { trigger: "schedule" | "catch-up"; scheduleId: string }
  | { trigger: "manual" }
  | {
      trigger: "webhook";
      payload: Uint8Array;
      /** Called before a skip is written; throws if it is not to be. */
      beforeSkip(): void;
      /** What is written of the call with its run. */
      toLedger(
        run: Pick<RunRecord, "id" | "result" | "reason">,
      ): Promise<StoreOperation[]>;
    }
);

/** What attempts stand on. */
export interface AttemptHost extends AgentLinkHost {
  book: RunBook;
  executor: Executor;
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

/** A schedule that fires, and its slot. */
interface Claim {
  schedule: StoredSchedule;
  due: DueSlot;
  offsetMs: number;
  trigger: "schedule" | "catch-up";
}

export function createAttempts(host: AttemptHost): Attempts {
  const { records, book, executor, slots, clock } = host;
  const agent = createAgentLink(host);
  const { automations, states, admissions, lock } = records;

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
  ): Promise<Judgement & { automation: AutomationRecord }> {
    let current = automation;
    const now = clock.now();
    const judgement = await passGates({
      trigger: claim?.trigger ?? attempt.trigger,
      automation,
      activeRunId: state.activeRunId,
      slot: claim
        ? {
            slotAt: claim.due.slotAt,
            offsetMs: claim.offsetMs,
            lateMs: now - Date.parse(claim.due.slotAt) - claim.offsetMs,
          }
        : null,
      countRuns: () =>
        admissions.count(automation.id, windowsOf(automation.limits), now),
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

    const { automation, decision, refusal } = await judge(
      attempt,
      found,
      before,
      claim,
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
      costUsd: null,
    };
    const state = claim ? withClaim(before, claim, now) : before;
    if (refusal) {
      const { result, reason, detail: message } = refusal;
      const ending = { result, reason, message, decision };
      const run = { ...facts, ...ending, startedAt: null, finishedAt: now };
      const operations = await toLedger(attempt, run);
      const options = { admitted: false, operations };
      return (await book.add(automation, state, run, options)).run;
    }

    const room = executor.reserve();
    try {
      const operations = await toLedger(attempt, {
        id: facts.id,
        result: "running",
        reason: null,
      });
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
          decision: [...decision, startGate(automation, room)],
        },
        { admitted: true, operations },
      );
      room.launch(toJob(attempt, automation, run));
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

async function toLedger(
  attempt: Attempt,
  run: Pick<RunRecord, "id" | "result" | "reason">,
): Promise<StoreOperation[]> {
  return attempt.trigger === "webhook" ? await attempt.toLedger(run) : [];
}

/** The agent that does what the automation says: its own, or the one that it messages. */
function runnerOf(automation: AutomationRecord): string | null {
  const { mode, agentId, targetAgentId } = automation;
  return mode === "message" ? targetAgentId : agentId;
}

function labelOf(schedule: StoredSchedule): string {
  return schedule.label || describeTimes(schedule);
}

function withClaim(
  state: AutomationState,
  { schedule, due }: Claim,
  now: string,
): AutomationState {
  const marks = state.schedules[schedule.id]!;
  return {
    ...state,
    schedules: {
      ...state.schedules,
      [schedule.id]: {
        ...marks,
        lastSlotAt: due.slotAt,
        nextSlotAt: due.nextSlotAt,
        lastFiredAt: now,
      },
    },
  };
}

function toJob(attempt: Attempt, automation: AutomationRecord, run: RunRecord) {
  const { prompt, limits, timeoutMs, permissions } = automation;
  return {
    run,
    // The target gate lets nothing pass without an agent.
    agentId: runnerOf(automation)!,
    // A message goes on with the conversation of the agent that it is for.
    freshSession: automation.mode === "start",
    prompt:
      attempt.trigger === "webhook"
        ? withPayload(prompt, attempt.payload)
        : prompt,
    maxCostUsd: limits.maxCostUsd,
    timeoutMs,
    permissions,
  };
}
