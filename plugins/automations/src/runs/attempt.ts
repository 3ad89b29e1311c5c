import type { StoreOperation } from "@gantry/plugin";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import type { QueuedRun } from "../records/queued-runs.ts";
import type { DueSlot } from "../schedule/plan.ts";
import { describeTimes } from "../schedule/words.ts";
import type { RunRecord } from "../wire/run.ts";
import type { StoredSchedule } from "../wire/schedule.ts";
import { withPayload } from "./payload.ts";

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

/** What an agent is to do in a run, and within which bounds. */
export type RunOrder = Omit<QueuedRun, "maxCostUsd" | "isCostCut">;

/** A schedule that fires, and its slot. */
export interface Claim {
  schedule: StoredSchedule;
  due: DueSlot;
  offsetMs: number;
  trigger: "schedule" | "catch-up";
}

export async function toLedger(
  attempt: Attempt,
  run: Pick<RunRecord, "id" | "result" | "reason">,
): Promise<StoreOperation[]> {
  return attempt.trigger === "webhook" ? await attempt.toLedger(run) : [];
}

/** The agent that does what the automation says: its own, or the one that it messages. */
export function runnerOf(automation: AutomationRecord): string | null {
  const { mode, agentId, targetAgentId } = automation;
  return mode === "message" ? targetAgentId : agentId;
}

export function labelOf(schedule: StoredSchedule): string {
  return schedule.label || describeTimes(schedule);
}

export function withClaim(
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

/** What the agent is to do in the run that an attempt leads to. */
export function toOrder(
  attempt: Attempt,
  automation: AutomationRecord,
): RunOrder {
  const { prompt, timeoutMs, permissions } = automation;
  return {
    // The target gate lets nothing pass without an agent.
    agentId: runnerOf(automation)!,
    // A message continues the conversation of the agent that it is for.
    freshSession: automation.mode === "start",
    prompt:
      attempt.trigger === "webhook"
        ? withPayload(prompt, attempt.payload)
        : prompt,
    timeoutMs,
    permissions,
  };
}
