import type { NewEvent, PluginContext } from "@gantry/plugin";
import {
  BackupChanged,
  RestoreEnded,
  SnapshotDeleted,
  SnapshotMade,
  SnapshotVerified,
} from "../../../src/contract.ts";
import type {
  BackupState,
  RestorePreview,
  Snapshot,
} from "../../../src/contract.ts";
import { errors } from "../../../src/errors.ts";
import type {
  NowAnswer,
  RestoreInput,
  SettingsInput,
} from "../../../src/routes/inputs.ts";
import { emptyState, toSnapshot } from "./samples.ts";
import { toOnly, toPreview } from "./scripted-preview.ts";

export type Operation = "save" | "now" | "preview" | "restore" | "delete";

/** A backup in memory, whose operations succeed at once unless an answer is given for the next call. */
export class ScriptedStore {
  ctx: PluginContext | undefined;
  state: BackupState = emptyState;
  /** The newest first. */
  snapshots: Snapshot[] = [];
  readonly calls: { operation: Operation; body: unknown }[] = [];
  readonly answers = new Map<Operation, () => Promise<void>>();
  preview: (input: RestoreInput, snapshot: Snapshot) => RestorePreview =
    toPreview;

  async emit(...events: NewEvent[]): Promise<void> {
    await this.ctx?.emit(...events);
  }

  read(): BackupState {
    return {
      ...this.state,
      snapshots: this.snapshots.length,
      totalBytes: this.snapshots.reduce((sum, one) => sum + one.ownBytes, 0),
      lastSnapshot: this.snapshots[0] ?? null,
    };
  }

  /** @throws BACKUP_SNAPSHOT_NOT_FOUND */
  find(id: string): Snapshot {
    const found = this.snapshots.find((snapshot) => snapshot.id === id);
    if (!found) throw errors.BACKUP_SNAPSHOT_NOT_FOUND({ id });
    return found;
  }

  /** Keeps what was asked for, and does what the test said about it. */
  async note(operation: Operation, body: unknown): Promise<void> {
    this.calls.push({ operation, body });
    const answer = this.answers.get(operation);
    this.answers.delete(operation);
    await answer?.();
  }

  async save({ passphrase, ...settings }: SettingsInput): Promise<void> {
    const given = Object.entries(settings).filter(
      ([, value]) => value !== undefined,
    );
    const before = this.state;
    const isEncrypted =
      passphrase === undefined ? before.isEncrypted : passphrase !== null;
    this.state = {
      ...before,
      settings: { ...before.settings, ...Object.fromEntries(given) },
      isEncrypted,
      hasKey: isEncrypted,
    };
    await this.emit(BackupChanged.of("backup", this.state.settings));
  }

  async make(reason: Snapshot["reason"]): Promise<Snapshot> {
    const { isEncrypted } = this.state;
    const made = toSnapshot(
      { createdAt: this.#now(), reason, isEncrypted },
      1000 + this.calls.length,
    );
    this.snapshots = [made, ...this.snapshots];
    this.state = { ...this.state, problem: null };
    const { ownBytes } = made;
    await this.emit(SnapshotMade.of(made.id, { ownBytes, reason }));
    return made;
  }

  async prove(snapshot: Snapshot): Promise<NowAnswer> {
    const at = this.#now();
    const proven = { ...snapshot, verifiedAt: at };
    const { id, records, files } = proven;
    this.snapshots = this.snapshots.map((one) =>
      one.id === id ? proven : one,
    );
    this.state = { ...this.state, lastVerifiedAt: at };
    await this.emit(SnapshotVerified.of(id, { records, files }));
    return {
      snapshot: proven,
      verified: { ok: true, at, plugins: 7, records, files },
    };
  }

  /** @throws BACKUP_LAST_GOOD */
  async remove(id: string, confirm: boolean): Promise<void> {
    const good = this.snapshots.find(({ problem }) => problem === null);
    if (this.find(id) === good && !confirm)
      throw errors.BACKUP_LAST_GOOD({ id });
    this.snapshots = this.snapshots.filter((snapshot) => snapshot.id !== id);
    await this.emit(SnapshotDeleted.of(id, { reason: "asked" }));
  }

  async restore(input: RestoreInput): Promise<Snapshot> {
    const { id } = input;
    const safety = await this.make("safety");
    const result = { only: toOnly(input), failure: null };
    this.state = {
      ...this.state,
      lastRestore: {
        at: this.#now(),
        snapshotId: id,
        safetySnapshotId: safety.id,
        ...result,
      },
    };
    await this.emit(RestoreEnded.of(id, result));
    return safety;
  }

  #now(): string {
    return this.ctx!.clock.timestamp();
  }
}
