import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "@gantry/plugin/files";
import type { Clock, Log } from "@gantry/plugin";
import { HomeError } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";
import { openEngine } from "@gantry/store/engine";
import type { Engine } from "@gantry/store/engine";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { createStoreCore } from "@gantry/store/store-core";
import { completeDatabase } from "./complete-database.ts";
import { writeFloor } from "./event-floor.ts";
import { keepBefore, mergeStore, unmergeStore } from "./merge-store.ts";
import type { PendingReplacement, RestoreFolder } from "./replacement-files.ts";
import {
  keepStore,
  newestStagedEvent,
  removeSessions,
  rewriteStore,
} from "./rewrite-store.ts";
import {
  putBack,
  putDatabaseBack,
  putDatabaseInPlace,
  putInPlace,
} from "./swap.ts";
import type { SwapItem } from "./swap.ts";

/** The two ways that a replacement can go. Each may be called again after an interruption at any step. */
export interface ReplacementSteps {
  /** Puts in place what is staged. Rejects with the reason of the signal if that aborts between two steps. */
  forward(signal?: AbortSignal): Promise<void>;
  /** Makes all as it was before. */
  back(): Promise<void>;
  /** Whether a `config.json` is among what is put in place. */
  readonly bringsConfig: boolean;
}

/** What is put in place by renaming, relative to the home and to the stage. */
export interface ReplacementItems {
  /** Files and folders. */
  paths: readonly string[];
  /** Namespaces whose records are merged. */
  namespaces: readonly string[];
}

const ITEMS = "items.json";

/** Notes in a stage what of it is put in place. From then on it is no stage any more. */
export const writeItems = (
  stage: string,
  items: ReplacementItems,
): Promise<void> => replaceFile(join(stage, ITEMS), JSON.stringify(items));

/** Dependencies of {@link createReplacementSteps}. */
export interface StepsHost {
  home: Home;
  restore: RestoreFolder;
  clock: Clock;
  log: Log;
}

/** The store that a replacement is about. */
export type ReplacedStore =
  /** The database in the home, which is swapped as a whole. No process has it open. */
  | { readonly kind: "database" }
  /** For records that are merged, or that lie outside of the home. */
  | { readonly kind: "engine"; readonly engine: Engine }
  /** As "engine", but it is broken: nothing can be merged. */
  | { readonly kind: "damaged"; readonly error: unknown };

/**
 * Makes the steps of a replacement.
 *
 * @throws HomeError if the stage is gone
 */
export async function createReplacementSteps(
  host: StepsHost,
  pending: PendingReplacement,
  store: ReplacedStore,
): Promise<ReplacementSteps> {
  const { home, restore } = host;
  const stage = restore.stage(pending.stage);
  const old = restore.old(pending.stage);
  const { paths, namespaces } = await readItems(stage);
  const toItem = (path: string): SwapItem => ({
    staged: join(stage, path),
    place: join(home.folder, path),
    aside: join(old, path),
  });
  const files = paths.map(toItem);
  const bringsConfig = paths.includes("config.json");
  if (store.kind === "damaged")
    return {
      bringsConfig,
      forward: () => Promise.reject(store.error),
      back: () => putBack(files),
    };
  if (store.kind === "database") {
    const database = toItem("store.sqlite");
    return {
      bringsConfig,
      async forward() {
        await completeDatabase(
          database.staged,
          database.place,
          pending,
          host.log,
        );
        await putDatabaseInPlace(database);
        await putInPlace(files);
        await tryDatabase(home.database, host.clock);
      },
      async back() {
        await putBack(files);
        await putDatabaseBack(database);
      },
    };
  }
  const { engine } = store;
  if (pending.mode === "replace")
    return {
      bringsConfig,
      async forward(signal) {
        await keepStore(engine, old);
        await writeFloor(engine, pending.stage, await newestStagedEvent(stage));
        await rewriteStore(engine, stage, signal);
        await putInPlace(files);
        if (!pending.keepsSessions) await removeSessions(engine);
      },
      async back() {
        await putBack(files);
        await rewriteStore(engine, old);
      },
    };
  const before = join(old, "before.ndjson");
  const records = { stage, namespaces };
  return {
    bringsConfig,
    async forward(signal) {
      await keepBefore(engine, records, before);
      await mergeStore(engine, records, signal);
      await putInPlace(files);
    },
    async back() {
      await putBack(files);
      await unmergeStore(engine, before);
    },
  };
}

async function readItems(stage: string): Promise<ReplacementItems> {
  try {
    const text = await readFile(join(stage, ITEMS), "utf8");
    return JSON.parse(text) as ReplacementItems;
  } catch (cause) {
    throw new HomeError(
      `A restore was begun that cannot continue, since ${stage} is not whole any more. Move the folder ${dirname(stage)} out of the home; what had been in the home before may be in it.`,
      { cause },
    );
  }
}

/** Makes sure that a store can be opened. */
async function tryDatabase(file: string, clock: Clock): Promise<void> {
  const engine = openEngine(createSqliteDriver(file));
  try {
    await createStoreCore(engine, clock);
  } finally {
    await engine.close();
  }
}
