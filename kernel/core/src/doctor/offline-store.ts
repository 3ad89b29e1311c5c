import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { QUARANTINE_PREFIX } from "@gantry/store/quarantine-copies";
import { keyRange } from "@gantry/store/key-range";
import { toQuarantinedFact } from "./gather-common.ts";
import type { Facts } from "./report.ts";

/** What a store tells without a daemon. */
export interface OfflineStore extends Pick<
  Facts,
  "mode" | "devices" | "quarantine"
> {
  /** What is wrong with the file. */
  problem: string | null;
}

const NOTHING = { mode: null, devices: null, quarantine: null } as const;
const MAX_QUARANTINED = 50;

interface Row {
  key: string;
  value: string;
}

/** Reads what the doctor needs out of a store's file, for reading only. */
export function readOfflineStore(file: string): OfflineStore {
  if (!existsSync(file)) return { ...NOTHING, problem: null };
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const [check] = database
        .prepare("PRAGMA quick_check(1)")
        .all() as unknown as { quick_check: string }[];
      const problem = check?.quick_check === "ok" ? null : "it is damaged";
      return { ...readRows(database), problem };
    } finally {
      database.close();
    }
  } catch (error) {
    return { ...NOTHING, problem: (error as Error).message };
  }
}

function readRows(database: DatabaseSync): Omit<OfflineStore, "problem"> {
  const select = database.prepare(
    "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC",
  );
  const rows = (prefix: string) => {
    const { from, to } = keyRange(prefix);
    return select.all(from, to) as unknown as Row[];
  };
  const records = (prefix: string) =>
    rows(prefix).flatMap(({ key, value }) => {
      const parsed = parse(value);
      return parsed ? [{ key, value: parsed }] : [];
    });
  const [mode] = records("auth:auth-mode");
  const quarantined = records(QUARANTINE_PREFIX);
  return {
    mode: mode?.value.mode === "loopback" ? "loopback" : "all",
    devices: records("auth:session:").map(({ value }) =>
      toDevice((value.data ?? {}) as Record<string, unknown>),
    ),
    quarantine: {
      count: quarantined.length,
      items: quarantined
        .slice(0, MAX_QUARANTINED)
        .map(({ key: storeKey, value }) => {
          const text = (name: string) => String(value[name] ?? "");
          return toQuarantinedFact({
            id: storeKey.slice(QUARANTINE_PREFIX.length),
            owner: text("owner"),
            key: text("key"),
            reason: text("reason"),
            at: typeof value.at === "string" ? value.at : null,
          });
        }),
    },
  };
}

function toDevice(session: Record<string, unknown>) {
  const text = (name: string) => String(session[name] ?? "");
  return {
    id: text("id"),
    device: text("device"),
    address: text("address"),
    createdAt: text("createdAt"),
    lastSeenAt: text("lastSeenAt"),
    online: false,
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A damaged record is the store's matter, which sets it aside at the next start.
    return undefined;
  }
}
