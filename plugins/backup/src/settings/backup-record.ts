import type { NewEvent, Store } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { backupProblem, backupSettings } from "../contract.ts";

/** What the plugin keeps in the store, under one key each. */
export const storedSettings = backupSettings.extend({
  /** Public key that snapshots are encrypted to; `null` for plain ones. */
  recipient: z.string().nullable(),
});
export type StoredSettings = z.infer<typeof storedSettings>;

const backupHistory = z.object({
  /** When the newest snapshot was made by this home; not later than now, whatever the clock did. */
  madeAt: timestamp.nullable(),
  /** How often making one failed since, when it did first and last. */
  failures: z.int().min(0),
  failingSince: timestamp.nullable(),
  failedAt: timestamp.nullable(),
  problem: backupProblem.nullable(),
  verifiedAt: timestamp.nullable(),
  /** Whether the next snapshot is to write all content again, as some of it was found damaged. */
  rewrites: z.boolean(),
  /** The newest replacement of the home that was reported. */
  toldRestoreAt: timestamp.nullable(),
});
export type BackupHistory = z.infer<typeof backupHistory>;

export const DEFAULT_SETTINGS: StoredSettings = {
  folder: null,
  everyMinutes: 60,
  keepDays: 30,
  keepsWeekly: true,
  includeTranscripts: true,
  includeSecrets: false,
  recipient: null,
};

const NO_HISTORY: BackupHistory = {
  madeAt: null,
  failures: 0,
  failingSince: null,
  failedAt: null,
  problem: null,
  verifiedAt: null,
  rewrites: false,
  toldRestoreAt: null,
};

/** A value in the store that is read once and written as a whole. */
export interface StoredValue<Value extends object> {
  readonly value: Value;
  /** Writes some of its members, together with their events. */
  change(changes: Partial<Value>, events?: readonly NewEvent[]): Promise<void>;
}

/** The settings; what is stored and does not fit is as if it was never set. */
export function openSettings(
  store: Store,
): Promise<StoredValue<StoredSettings>> {
  return openValue(store, "settings", (stored) => ({
    ...DEFAULT_SETTINGS,
    ...storedSettings.safeParse(stored).data,
  }));
}

/** What happened so far. */
export function openHistory(store: Store): Promise<StoredValue<BackupHistory>> {
  return openValue(store, "history", (stored) => ({
    ...NO_HISTORY,
    ...backupHistory.safeParse(stored).data,
  }));
}

async function openValue<Value extends object>(
  store: Store,
  key: string,
  toValue: (stored: unknown) => Value,
): Promise<StoredValue<Value>> {
  let value = toValue(await store.get(key));
  let writing: Promise<unknown> = Promise.resolve();
  return {
    get value() {
      return value;
    },
    async change(changes, events = []) {
      const write = async () => {
        const next = { ...value, ...changes };
        await store.batch([{ type: "set", key, value: next }], events);
        value = next;
      };
      const written = writing.then(write);
      writing = written.catch(() => undefined);
      await written;
    },
  };
}
