import type { Store } from "@gantry/plugin";

/** Who must pair: everyone, or everyone but this machine itself. */
export type Mode = "all" | "loopback";

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
      await store.set("auth-mode", { mode: next });
      mode = next;
    },
  };
}
