import { defineEvent, MACHINE_PREFIX } from "@gantry/plugin";
import type { Store } from "@gantry/plugin";

/** Who must pair: everyone, or everyone but this machine itself. */
export type Mode = "all" | "loopback";

export const ModeChanged = defineEvent<{ mode: Mode }>(
  "auth.mode-changed",
  "The choice of who must pair was changed.",
);

const MODE = "auth-mode";
/** Says that this machine's own requests were locked out here, which a restored mode does not take back. */
const LOCKED_OUT = `${MACHINE_PREFIX}auth-mode`;

/** The mode in force. */
export type AuthMode = Awaited<ReturnType<typeof openAuthMode>>;

/** Opens the stored mode; `all` if none was ever chosen. */
export async function openAuthMode(store: Store) {
  const stored = await store.get<{ mode: Mode }>(MODE);
  const isOpen =
    stored?.mode === "loopback" && (await store.get(LOCKED_OUT)) === undefined;
  let mode: Mode = isOpen ? "loopback" : "all";
  return {
    current: () => mode,
    /** Changes it; resolves when it is stored. */
    async set(next: Mode): Promise<void> {
      const value = { mode: next };
      await store.batch(
        [
          { type: "set", key: MODE, value },
          next === "all"
            ? { type: "set", key: LOCKED_OUT, value: {} }
            : { type: "remove", key: LOCKED_OUT },
        ],
        [ModeChanged.of("mode", value)],
      );
      mode = next;
    },
  };
}
