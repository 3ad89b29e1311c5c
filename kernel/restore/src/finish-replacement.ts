import { HomeError } from "@gantry/system/home/home";
import type { Engine } from "@gantry/store/engine";
import { isDamaged } from "@gantry/store/storage-error";
import { carryOut } from "./carry-out.ts";
import type { CarriedOut, CarryOutHost } from "./carry-out.ts";
import type { ReplacedStore } from "./replacement-steps.ts";

/** What a start has brought to its end before it opened the store. */
export interface FinishedReplacement extends CarriedOut {
  keepsSessions: boolean;
}

/** Dependencies of {@link finishReplacement}. */
export interface FinishHost extends CarryOutHost {
  /** Whether the store is the database in the home. */
  isInHome: boolean;
  /** Opens the store, to be closed again. */
  openStore(): Promise<Engine>;
  /** Stops it between two steps: it rejects, and continues at the next start. */
  signal?: AbortSignal;
}

/**
 * Brings the replacement that is pending to its end, if there is one. To be called by who holds the lock of the home, while
 * no process has the store open.
 */
export async function finishReplacement(
  host: FinishHost,
): Promise<FinishedReplacement | undefined> {
  const pending = await host.restore.readPending();
  if (!pending) return undefined;
  const { keepsSessions, mode } = pending;
  if (pending.isInHome !== host.isInHome)
    throw new HomeError(
      'A restore of this home was begun with another "storage" in config.json; start once with that, so that it comes to its end.',
    );
  host.log.info("Replacing the home", { mode });
  const store: ReplacedStore =
    host.isInHome && mode === "replace"
      ? { kind: "database" }
      : await openReplaced(host);
  try {
    const result = await carryOut(host, pending, store, host.signal);
    return { ...result, keepsSessions: keepsSessions || mode === "merge" };
  } finally {
    if (store.kind === "engine") await store.engine.close();
  }
}

async function openReplaced({ openStore }: FinishHost): Promise<ReplacedStore> {
  try {
    return { kind: "engine", engine: await openStore() };
  } catch (error) {
    // A merge that waits for it for ever would keep the home from being replaced as a whole.
    if (isDamaged(error)) return { kind: "damaged", error };
    throw error;
  }
}
