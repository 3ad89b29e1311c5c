import { join } from "node:path";
import { describeError } from "@gantry/plugin";
import type { Clock, Log, ReplacementResult } from "@gantry/plugin";
import type { Audit } from "@gantry/system/audit/audit";
import type { Home } from "@gantry/system/home/home";
import type { Engine } from "@gantry/store/engine";
import { isUnsettled } from "@gantry/store/storage-error";
import { readItems } from "./replacement-files.ts";
import type { PendingReplacement, RestoreFolder } from "./replacement-files.ts";
import { rewriteStore } from "./rewrite-store.ts";
import { putBack, putInPlace } from "./swap.ts";

/** Dependencies of {@link carryOut}. */
export interface CarryOutHost {
  home: Home;
  restore: RestoreFolder;
  clock: Clock;
  log: Log;
  audit: Pick<Audit, "record">;
}

/** Rewrites the store that is replaced. May be called again with another one. @param skippedEvents Numbers of events to leave free. */
export type RewriteReplaced = (
  engine: Engine,
  skippedEvents?: number,
) => Promise<void>;

/** How a replacement ended. */
export type CarriedOut = Awaited<ReturnType<typeof carryOut>>;

/**
 * Brings a stored replacement to its end: files are put in place while the store is rewritten, so that a crash leaves the store
 * as it was until all is done, and the next try begins with it again. What fails leaves all as it was before.
 *
 * @param useStore Gives the store to what rewrites it.
 * @param signal Stops it between two steps; it goes on the next time.
 * @throws HomeError if the stage is gone; what `isUnsettled` knows. It is then tried again the next time
 */
export async function carryOut(
  host: CarryOutHost,
  pending: PendingReplacement,
  useStore: (rewrite: RewriteReplaced) => Promise<void>,
  signal?: AbortSignal,
) {
  const { home, restore, clock, log, audit } = host;
  const { mode, keepsSessions, note, plugin } = pending;
  const stage = restore.stage(pending.stage);
  const { paths, namespaces } = await readItems(stage);
  const files = paths.map((path) => ({
    staged: join(stage, path),
    place: join(home.folder, path),
    aside: join(restore.old(pending.stage), path),
  }));
  const staged = { stage, mode, keepsSessions, namespaces };
  const last = () => putInPlace(files);
  let failure: string | null = null;
  try {
    await useStore((engine, skippedEvents) =>
      rewriteStore(engine, staged, { last, skippedEvents, signal }),
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (isUnsettled(error)) throw error;
    log.error("The home could not be replaced", { mode }, error);
    failure = describeError(error);
    await putBack(files);
  }
  const at = clock.timestamp();
  const result: ReplacementResult = { at, mode, note, failure };
  const isStored = await restore.writeResult(result).then(
    () => true,
    () => restore.removeResult(),
  );
  await restore.removePending();
  // A full disk has room for it without the stage.
  if (!isStored)
    await restore
      .removeStage(pending.stage)
      .then(() => restore.writeResult(result))
      .catch((fault: unknown) =>
        log.error("Result of the replacement not stored", {}, fault),
      );
  await audit.record("home.replaced", {
    plugin,
    mode,
    note: JSON.stringify(note),
    failure,
  });
  return {
    ...result,
    /** Whether there is another `config.json` now. */
    bringsConfig: failure === null && paths.includes("config.json"),
    /** Whether the sessions of browsers are as they were. */
    keepsSessions: keepsSessions || mode === "merge",
  };
}
