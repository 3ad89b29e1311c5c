import type { DaemonFacts, PairedDevice } from "@gantry/plugin";
import { QUARANTINE_PREFIX } from "@gantry/store/quarantine-copies";
import type { ListEntries } from "@gantry/store/stopped-store";
import { toDevice } from "@gantry/kernel/daemon-facts";

type Strings = Partial<Record<string, string>>;

/** Makes facts of the records of a store. */
export function toStoredFacts(
  list: ListEntries,
): Pick<DaemonFacts, "mode" | "devices" | "quarantine"> {
  const [record] = list("auth:auth-mode");
  const { mode } = (record?.value ?? {}) as Strings;
  return {
    mode: mode === "loopback" ? "loopback" : "all",
    devices: list("auth:session:").map(({ value }) => {
      const { data = {} } = value as { data?: object };
      return toDevice(data as PairedDevice, false);
    }),
    quarantine: list(QUARANTINE_PREFIX).map(({ key: storeKey, value }) => {
      const { owner = "", key = "", reason = "", at } = value as Strings;
      const id = storeKey.slice(QUARANTINE_PREFIX.length);
      return { id, owner, key, reason, at: at ?? null };
    }),
  };
}
