import { definePlugin } from "@gantry/plugin";
import type { NewEvent, PluginContext, PluginDefinition } from "@gantry/plugin";
import { BackupChanged, BackupProgressed } from "../../../src/contract.ts";
import type {
  BackupJob,
  BackupState,
  Snapshot,
} from "../../../src/contract.ts";
import { errors } from "../../../src/errors.ts";
import { events } from "../../../src/events.ts";
import { emptyState } from "./samples.ts";
import { toPreview } from "./scripted-preview.ts";
import { createScriptedRoutes } from "./scripted-routes.ts";
import { ScriptedStore } from "./scripted-store.ts";
import type { Operation } from "./scripted-store.ts";

/** A backup that does what a test says, for states that are hard to reach with a real one. */
export interface ScriptedBackup {
  readonly plugin: PluginDefinition;
  /** What was asked for. */
  readonly calls: ScriptedStore["calls"];
  /** Replaces the state: these snapshots, the newest first, and a folder if there are any. */
  reset(snapshots?: Snapshot[]): void;
  /** Changes the state and tells pages of it. */
  change(state: Partial<BackupState>): Promise<void>;
  /** What a job reports, `null` once it is over. */
  progress(job: BackupJob | null): Promise<void>;
  /** What the next call of an operation does before it succeeds. */
  answerOnce(operation: Operation, answer: () => Promise<void>): void;
  /** What restores would do, from now on. */
  answerPreviews(preview: ScriptedStore["preview"]): void;
  emit(...events: NewEvent[]): Promise<void>;
}

export function createScriptedBackup(): ScriptedBackup {
  const store = new ScriptedStore();
  return {
    calls: store.calls,
    emit: (...told) => store.emit(...told),
    reset(snapshots = []) {
      const folder = snapshots.length > 0 ? "/media/ada/Disk" : null;
      const settings = { ...emptyState.settings, folder };
      store.snapshots = snapshots;
      store.state = { ...emptyState, settings };
      store.preview = toPreview;
      store.calls.length = 0;
      store.answers.clear();
    },
    async change(changes) {
      store.state = { ...store.state, ...changes };
      await store.emit(BackupChanged.of("backup", store.state.settings));
    },
    async progress(job) {
      store.state = { ...store.state, job };
      if (job) await store.emit(BackupProgressed.of("backup", job));
    },
    answerOnce: (operation, answer) =>
      void store.answers.set(operation, answer),
    answerPreviews: (preview) => void (store.preview = preview),
    plugin: definePlugin({
      id: "backup",
      api: 1,
      summary: "Does what the test says",
      mounts: ["/api/backup"],
      events,
      errors,
      setup(ctx) {
        store.ctx = ctx as PluginContext;
        for (const route of createScriptedRoutes(store)) ctx.route(route);
      },
    }),
  };
}
