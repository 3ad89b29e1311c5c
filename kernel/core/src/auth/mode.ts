import { defineEvent } from "@gantry/plugin";
import type { Store } from "@gantry/plugin";
import * as z from "zod";

/** Which clients must pair: all, or all except this machine itself (`loopback`). */
export const Mode = z.enum(["all", "loopback"]);
export type Mode = z.infer<typeof Mode>;

export const ModeChanged = defineEvent<{ mode: Mode }>(
  "auth.mode-changed",
  "The pairing mode was changed.",
);

/** The current mode. */
export interface AuthMode {
  current(): Mode;
  /** Sets the mode; resolves when it is stored. */
  set(mode: Mode): Promise<void>;
}

/** Reads the stored mode; `all` by default. */
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
