import { createKeyedLock } from "@gantry/plugin";
import type {
  Clock,
  Collection,
  KeyedLock,
  NewEvent,
  Store,
  StoreOperation,
} from "@gantry/plugin";
import type { CallRecord } from "../wire/call.ts";
import type { RunRecord } from "../wire/run.ts";
import { automationCollection } from "./automation-record.ts";
import type { AutomationRecord } from "./automation-record.ts";
import { openStates, stateCollection } from "./automation-state.ts";
import type { AutomationStates } from "./automation-state.ts";
import { openMachineMarks } from "./machine-marks.ts";
import type { MachineMarks } from "./machine-marks.ts";
import { openAdmissions } from "./admissions.ts";
import type { Admissions } from "./admissions.ts";
import { callCollection, payloadCollection } from "./call-record.ts";
import type { PayloadRecord } from "./call-record.ts";
import { openQueuedRuns } from "./queued-runs.ts";
import type { QueuedRuns } from "./queued-runs.ts";
import { runCollection } from "./run-record.ts";
import { openRunSums } from "./run-sums.ts";
import type { RunSums } from "./run-sums.ts";

/** Everything that the plugin keeps in the store. */
export interface Records {
  automations: Collection<AutomationRecord>;
  states: AutomationStates;
  runs: Collection<RunRecord>;
  queued: QueuedRuns;
  calls: Collection<CallRecord>;
  payloads: Collection<PayloadRecord>;
  admissions: Admissions;
  sums: RunSums;
  marks: MachineMarks;
  /** By automation: code that reads its record or state to write one of them holds it. */
  lock: KeyedLock;
  batch(
    operations: readonly StoreOperation[],
    events?: readonly NewEvent[],
  ): Promise<void>;
  /** Keys with a prefix, for what is no record. */
  keys(prefix: string): Promise<string[]>;
  /** The value of such a key. */
  get<Value extends object>(key: string): Promise<Value | undefined>;
}

export function openRecords(store: Store, clock: Clock): Records {
  return {
    automations: store.collection(automationCollection),
    states: openStates(store.collection(stateCollection), () =>
      clock.timestamp(),
    ),
    runs: store.collection(runCollection),
    queued: openQueuedRuns(store),
    calls: store.collection(callCollection),
    payloads: store.collection(payloadCollection),
    admissions: openAdmissions(store),
    sums: openRunSums(store),
    marks: openMachineMarks(store),
    lock: createKeyedLock(),
    batch: (operations, events) => store.batch(operations, events),
    keys: (prefix) => store.keys(prefix),
    get: (key) => store.get(key),
  };
}
