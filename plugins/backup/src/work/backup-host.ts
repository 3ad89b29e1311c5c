import type {
  Clock,
  Log,
  LogFields,
  NewEvent,
  WholeHome,
} from "@gantry/plugin";
import type { AgentDirectory } from "@gantry/plugin-agents/contract";
import type { AutomationActivity } from "@gantry/plugin-automations/contract";
import type { JobRunner } from "../jobs/job-runner.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import type { Notices } from "../notices.ts";
import type { BackupHistory, StoredValue } from "../settings/backup-record.ts";
import type { HomeIdentity } from "../settings/home-identity.ts";
import type { SettingsBook } from "../settings/settings-book.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { SnapshotShelf } from "../snapshots/snapshot-shelf.ts";

/** What the work on snapshots shares. */
export interface BackupHost {
  home: WholeHome;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  settings: SettingsBook;
  history: StoredValue<BackupHistory>;
  schedule: Schedule;
  shelf: SnapshotShelf;
  jobs: JobRunner;
  keys: KeyRing;
  identity: HomeIdentity;
  notices: Notices;
  /** As that of the plugin's context: what is written within claims no idempotency key. */
  prepare<Result>(work: () => Result): Result;
  emit(...events: NewEvent[]): Promise<void>;
  audit(action: string, details?: LogFields): Promise<void>;
  /** Ids of the plugins that are active now. */
  activePlugins(): string[];
  activity(): AutomationActivity | undefined;
  directory(): AgentDirectory | undefined;
}
