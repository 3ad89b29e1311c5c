import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock, Log } from "@gantry/plugin";
import { flushPath } from "@gantry/system/files/durable-files";
import { HomeError } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";
import { tryDatabase } from "@gantry/store/whole-store/try-database";
import { completeDatabase } from "@gantry/store/whole-store/complete-database";
import { writeFloor } from "@gantry/store/whole-store/event-floor";
import {
  keepBefore,
  mergeStore,
  unmergeStore,
} from "@gantry/store/whole-store/merge-store";
import {
  keepStore,
  newestStagedEvent,
  removeSessions,
  rewriteStore,
} from "@gantry/store/whole-store/rewrite-store";
import type { Engine } from "@gantry/store/engine";
import type { PendingReplacement, RestoreFolder } from "./replacement-files.ts";
import {
  putBack,
  putDatabaseBack,
  putDatabaseInPlace,
  putInPlace,
} from "@gantry/store/whole-store/swap";
import type { SwapItem } from "@gantry/store/whole-store/swap";

/** The two directions of a replacement. Each may be called again after an interruption at any step. */
export interface ReplacementSteps {
  /** Puts the staged content in place. Rejects with the reason of the signal if that aborts between two steps. */
  forward(signal?: AbortSignal): Promise<void>;
  /** Restores the earlier content. */
  back(): Promise<void>;
  /** Whether `config.json` is among the replaced files. */
  readonly bringsConfig: boolean;
}

/** Content that is put in place by renaming, relative to the home and to the stage. */
export interface ReplacementItems {
  /** Files and folders. */
  paths: readonly string[];
  /** Namespaces whose records are merged. */
  namespaces: readonly string[];
}

const ITEMS = "items.json";

/** Records in a stage which of its content is put in place. From then on it cannot be used as a stage. */
export async function writeItems(
  stage: string,
  items: ReplacementItems,
): Promise<void> {
  const file = join(stage, ITEMS);
  await writeFile(file, JSON.stringify(items), { mode: 0o600 });
  await flushPath(file);
  await flushPath(stage);
}

/** Dependencies of {@link createReplacementSteps}. */
export interface StepsHost {
  home: Home;
  restore: RestoreFolder;
  clock: Clock;
  log: Log;
}

/** The store that a replacement concerns. */
export type ReplacedStore =
  /** The database in the home, which is swapped as a whole. It must not be open. */
  | { readonly kind: "database" }
  /** An open store, for records that are merged or that are outside the home. */
  | { readonly kind: "engine"; readonly engine: Engine }
  /** As "engine", but damaged: nothing can be merged. */
  | { readonly kind: "damaged"; readonly error: unknown };

/**
 * Creates the steps of a replacement.
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
      `A restore was started that cannot continue, since ${stage} is incomplete. Move the folder ${dirname(stage)} out of the home; it may contain the earlier content of the home.`,
      { cause },
    );
  }
}
