import type {
  Collection,
  CollectionDefinition,
  StoreOperation,
} from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { notifyFailure } from "../wire/automation.ts";
import { runDay, runSummary } from "../wire/run.ts";

const scheduleState = z.object({
  /** Slots up to here are not caught up. */
  armedAt: timestamp,
  /** The latest slot that was claimed; all before it are done with. */
  lastSlotAt: timestamp.nullable(),
  lastFiredAt: timestamp.nullable(),
  /** The next slot; `null` while the schedule is off. */
  nextSlotAt: timestamp.nullable(),
  offsetMs: z.number().int(),
});

export type ScheduleState = z.infer<typeof scheduleState>;

const stateSchema = z.object({
  ...storedFields,
  /** How many runs were recorded; numbers them. */
  runs: z.number().int(),
  /** How many runs passed all gates; numbers them for the rate caps. */
  admissions: z.number().int(),
  activeRunId: z.string().nullable(),
  lastRun: runSummary.nullable(),
  /** When runs ended with an error right after they had begun, since the last that worked. */
  crashes: z.array(timestamp).default([]),
  /** How the runs of the last 30 days ended, by day. */
  days: z.array(runDay).default([]),
  /** The last notification, if it did not arrive. */
  notifyFailure: notifyFailure.nullable().default(null),
  schedules: z.record(z.string(), scheduleState),
});

type StateRecord = z.infer<typeof stateSchema>;

/** What runs and time change of an automation. Its id is the automation's. */
export type AutomationState = Omit<StateRecord, "updatedAt" | "revision">;

export const stateCollection: CollectionDefinition<StateRecord> = {
  name: "state",
  version: 1,
  schema: stateSchema,
};

/** The states of automations. They are only ever written in a batch with what changed them. */
export interface AutomationStates {
  /** The state of an automation; that of a new one if there is none. */
  get(automationId: string): Promise<AutomationState>;
  toWrite(state: AutomationState): StoreOperation[];
  toRemove(state: AutomationState): StoreOperation[];
}

export function openStates(
  collection: Collection<StateRecord>,
  timestampNow: () => string,
): AutomationStates {
  const whole = (state: AutomationState): StateRecord => ({
    ...state,
    updatedAt: state.createdAt,
    revision: 1,
  });
  return {
    get: async (automationId) =>
      (await collection.get(automationId)) ?? {
        id: automationId,
        createdAt: timestampNow(),
        runs: 0,
        admissions: 0,
        activeRunId: null,
        lastRun: null,
        crashes: [],
        days: [],
        notifyFailure: null,
        schedules: {},
      },
    // Its only index is by time of creation, which stays.
    toWrite: (state) => collection.toUpsert(state),
    toRemove: (state) => collection.toRemove(whole(state)),
  };
}
