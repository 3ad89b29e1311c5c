import type { DaemonFacts } from "@gantry/plugin";
import {
  MAX_QUARANTINED,
  toQuarantinedRecord,
} from "@gantry/kernel/facts/gather-common";
import { QUARANTINE_PREFIX } from "@gantry/store/quarantine-copies";
import { readDatabase } from "@gantry/store/read-database";

/** Facts from the store of a home, without a daemon. */
export interface OfflineStore extends Pick<
  DaemonFacts,
  "mode" | "devices" | "quarantine"
> {
  /** Why the file cannot be read; `null` if it can, or if there is none. */
  problem: string | null;
}

const MODE_KEY = "auth:auth-mode";
const SESSION_PREFIX = "auth:session:";

/** Reads facts from the file of a store, without changing it. */
export function readOfflineStore(file: string): OfflineStore {
  const { entriesOf, problem } = readDatabase(file, [
    MODE_KEY,
    SESSION_PREFIX,
    QUARANTINE_PREFIX,
  ]);
  if (entriesOf.size === 0)
    return { mode: null, devices: null, quarantine: null, problem };
  const records = (prefix: string) =>
    (entriesOf.get(prefix) ?? []).flatMap(({ key, value }) => {
      const parsed = parse(value);
      return parsed ? [{ key, value: parsed }] : [];
    });
  const [mode] = records(MODE_KEY);
  const quarantined = records(QUARANTINE_PREFIX);
  return {
    problem,
    mode: mode?.value.mode === "loopback" ? "loopback" : "all",
    devices: records(SESSION_PREFIX).map(({ value }) =>
      toDevice((value.data ?? {}) as Record<string, unknown>),
    ),
    quarantine: {
      count: quarantined.length,
      items: quarantined
        .slice(0, MAX_QUARANTINED)
        .map(({ key: storeKey, value }) => {
          const text = (name: string) => String(value[name] ?? "");
          return toQuarantinedRecord({
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
    // The store quarantines a damaged record at its next start.
    return undefined;
  }
}
