import type { Collection, Store, StoreOperation } from "@gantry/plugin";
import { agentCollection, type AgentRecord } from "./agent-record.ts";
import { notesCollection, type NotesRecord } from "./notes-record.ts";
import { openSettledTasks, type SettledTasks } from "./settled-tasks.ts";
import { removalCollection, type RemovalRecord } from "./removal-record.ts";
import { taskCollection, type TaskRecord } from "./task-record.ts";
import { trustCollection, type TrustRecord } from "./trust-record.ts";
import { turnCollection, type TurnRecord } from "./turn-record.ts";
import {
  workspaceCollection,
  type WorkspaceRecord,
} from "./workspace-record.ts";

/** Everything that the plugin keeps in the store. */
export interface Records {
  agents: Collection<AgentRecord>;
  tasks: Collection<TaskRecord>;
  turns: Collection<TurnRecord>;
  workspaces: Collection<WorkspaceRecord>;
  trust: Collection<TrustRecord>;
  notes: Collection<NotesRecord>;
  removals: Collection<RemovalRecord>;
  settled: SettledTasks;
  /** Writes changes of more than one record at once. */
  batch(operations: readonly StoreOperation[]): Promise<void>;
}

export function openRecords(store: Store): Records {
  return {
    agents: store.collection(agentCollection),
    tasks: store.collection(taskCollection),
    turns: store.collection(turnCollection),
    workspaces: store.collection(workspaceCollection),
    trust: store.collection(trustCollection),
    notes: store.collection(notesCollection),
    removals: store.collection(removalCollection),
    settled: openSettledTasks(store),
    batch: (operations) => store.batch(operations),
  };
}
