import { join } from "node:path";
import { flush } from "@gantry/plugin/files";
import { HomeError } from "@gantry/system/home/home";
import type { Engine } from "@gantry/store/engine";
import { isDamaged } from "@gantry/store/storage-error";
import { carryOut } from "./carry-out.ts";
import type { CarriedOut, CarryOutHost, RewriteReplaced } from "./carry-out.ts";
import { readKept } from "./read-store.ts";
import type { PendingReplacement } from "./replacement-files.ts";
import { moveDatabaseAside, putDatabaseBack } from "./swap.ts";
import { undoEarlier } from "./undo-earlier.ts";

/** Numbers left free where it is not known which events there were. */
const UNKNOWN_EVENTS = 1_000_000;

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
): Promise<CarriedOut | undefined> {
  const { restore, log, signal } = host;
  const pending = await restore.readPending();
  if (!pending) return undefined;
  const { format, stage, mode } = pending;
  if (pending.isInHome !== host.isInHome)
    throw new HomeError(
      'A restore of this home was begun with another "storage" in config.json; start once with that, so that it comes to its end.',
    );
  log.info("Replacing the home", { mode });
  const store = await openReplaced(host, pending);
  try {
    if (format === 1 && store.engine) {
      await undoEarlier(store.engine, restore.old(stage));
      await restore.writePending({ ...pending, format: 2, failure: undefined });
    }
    return await carryOut(host, pending, store.use, signal);
  } finally {
    await store.close();
  }
}

/**
 * Opens the store that a replacement is about. A database that is damaged is moved aside if it is replaced as a whole, and a new one
 * is written. It is put back if that fails, or when this is called again after an interruption.
 */
async function openReplaced(
  { home, restore, log, isInHome, openStore }: FinishHost,
  { stage, mode, keepsSessions }: PendingReplacement,
) {
  const aside = join(restore.old(stage), "store.sqlite");
  const database = { place: home.database, aside };
  const isReplaceable = isInHome && mode === "replace";
  if (isReplaceable) await putDatabaseBack(database);
  let engine: Engine | undefined;
  let damage: unknown;
  try {
    engine = await openStore();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    damage = error;
  }

  async function close(): Promise<void> {
    await engine?.close();
    engine = undefined;
  }

  async function useNew(rewrite: RewriteReplaced): Promise<void> {
    const kept = await (engine && readKept(engine, keepsSessions))?.catch(
      () => undefined,
    );
    if (!kept) log.error("Nothing could be kept of the old store", {}, damage);
    await close();
    await moveDatabaseAside(database);
    try {
      engine = await openStore();
      // Its contents are flushed with each write, its name is not.
      await flush(home.folder);
      await engine.commit(kept ?? []);
      await rewrite(engine, kept ? 0 : UNKNOWN_EVENTS);
    } catch (error) {
      await close();
      await putDatabaseBack(database);
      throw error;
    }
  }

  return {
    /** `undefined` if it is damaged. */
    engine,
    close,
    async use(rewrite: RewriteReplaced): Promise<void> {
      try {
        if (!engine) throw damage;
        await rewrite(engine);
      } catch (error) {
        if (!isReplaceable || !isDamaged(error)) throw error;
        damage = error;
        await useNew(rewrite);
      }
    },
  };
}
