import { defineEvent } from "@gantry/plugin";
import type { Store } from "@gantry/plugin";

/** Who must pair: everyone, or everyone but this machine itself. */
export type Mode = "all" | "loopback";

export const ModeChanged = defineEvent<{ mode: Mode }>(
  "auth.mode-changed",
  "Who must pair was chosen anew.",
);

/** The mode in force. */
export interface AuthMode {
  current(): Mode;
  /** Changes it; resolves when it is stored. */
  set(mode: Mode): Promise<void>;
}

/** Opens the stored mode; `all` if none was ever chosen. */
export async function openAuthMode(store: Store): Promise<AuthMode> {
  const stored = await store.get<{ mode: Mode }>("auth-mode");
  let mode: Mode = stored?.mode === "loopback" ? "loopback" : "all";
  return {
    current: () => mode,
    async set(next) {
      const value = { mode: next };
      await store.batch(
        [{ type: "set", key: "auth-mode", value }],
        [ModeChanged.of("mode", value)],
      );
      mode = next;
    },
  };
}
