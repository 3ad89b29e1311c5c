import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { DaemonFacts, PairedDevice } from "@gantry/plugin";
import { QUARANTINE_PREFIX } from "@gantry/store/quarantine-copies";
import { keyRange } from "@gantry/store/key-range";
import { toDevice } from "@gantry/kernel/daemon-facts";
import { parseJson } from "@gantry/system/parse-json";

/** Facts that are in a store, and what is wrong with its file. */
export type OfflineStore = Pick<
  DaemonFacts,
  "mode" | "devices" | "quarantine"
> & { problem: string | null };

/** Of a store that cannot be read. */
export const UNKNOWN_STORE = {
  mode: null,
  devices: null,
  quarantine: null,
  problem: null,
} as const;

type Json = Record<string, unknown>;
type Strings = Partial<Record<string, string>>;

/** Reads from the file of a store, which is not changed. */
export function readOfflineStore(file: string): OfflineStore {
  if (!existsSync(file)) return UNKNOWN_STORE;
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const check = database.prepare("PRAGMA quick_check(1)").get();
    const problem = check?.quick_check === "ok" ? null : "it is damaged";
    return { ...readRecords(database), problem };
  } catch (error) {
    return { ...UNKNOWN_STORE, problem: (error as Error).message };
  }
}

function readRecords(database: DatabaseSync): Omit<OfflineStore, "problem"> {
  const select = database.prepare(
    "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC",
  );
  const records = (prefix: string) => {
    const { from, to } = keyRange(prefix);
    return select.all(from, to).flatMap(({ key, value }) => {
      // A damaged record is the store's matter, which sets it aside at the next start.
      const parsed = parseJson(String(value)) as Json | undefined;
      return parsed ? [{ key: String(key), value: parsed }] : [];
    });
  };
  const [mode] = records("auth:auth-mode");
  return {
    mode: mode?.value.mode === "loopback" ? "loopback" : "all",
    devices: records("auth:session:").map(({ value }) =>
      toDevice((value.data ?? {}) as PairedDevice, false),
    ),
    quarantine: records(QUARANTINE_PREFIX).map(({ key: storeKey, value }) => {
      const { owner = "", key = "", reason = "", at } = value as Strings;
      const id = storeKey.slice(QUARANTINE_PREFIX.length);
      return { id, owner, key, reason, at: at ?? null };
    }),
  };
}
