import { randomBytes } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { HomeReplacement, WholeHome } from "@gantry/plugin";
import type { Audit } from "@gantry/system/audit/audit";
import { errors } from "@gantry/system/errors";
import type { Engine } from "@gantry/store/engine";
import { isReservedId } from "@gantry/system/plugin-id";
import { toStorageError } from "@gantry/store/storage-error";
import { checkStage } from "./check-stage.ts";
import type { StageContent } from "./check-stage.ts";
import {
  checkStagedConfig,
  prepareMerge,
  prepareWhole,
  toMergedPaths,
} from "./prepare-replacement.ts";
import type { PrepareHost } from "./prepare-replacement.ts";
import { toStoreImage } from "./read-store.ts";
import { writeItems } from "./replacement-files.ts";
import type {
  PendingReplacement,
  ReplacementItems,
  RestoreFolder,
} from "./replacement-files.ts";

const MAX_NOTE_BYTES = 4096;

/** Dependencies of {@link createWholeHome}. */
export interface WholeHomeHost extends PrepareHost {
  version: string;
  restore: RestoreFolder;
  audit: Pick<Audit, "record">;
  /** The store. Throws if it could not be opened. */
  engine(): Engine;
  plugins: WholeHome["plugins"];
  recordVersions: WholeHome["recordVersions"];
  rehearse: WholeHome["rehearse"];
  /** Ids of the plugins that a plugin needs. Stopping one of them would stop the plugin itself. */
  neededBy(plugin: string): ReadonlySet<string>;
  /** Carries out a replacement, or leaves it to the next start. It must not wait for the plugin that asked. */
  carryOut(order: ReplacementOrder): Promise<void>;
}

/** A replacement that is to be carried out. */
export interface ReplacementOrder {
  mode: HomeReplacement["mode"];
  /** Ids of the plugins whose records or files are staged. */
  concerned: readonly string[];
  owner: WholeHomeOwner;
  /**
   * Makes the last image and stores the replacement. Called when no plugin writes any more what is replaced. If it rejects, all
   * is as it was and nothing is to be carried out.
   */
  prepare(): Promise<PendingReplacement>;
}

/** The plugin that uses the service. */
export interface WholeHomeOwner {
  /** Id of the plugin. */
  id: string;
  /** Aborts when the plugin stops: its images are closed, and it can no longer replace anything. */
  signal: AbortSignal;
}

/** A stage that was checked. */
interface CheckedStage {
  stage: string;
  content: StageContent;
  /** Ids of the plugins whose records or files are in it. */
  concerned: readonly string[];
}

/** Creates the service {@link WholeHome} for each plugin that asks. They share one home, which one replacement at a time changes. */
export function createWholeHome(
  host: WholeHomeHost,
): (owner: WholeHomeOwner) => WholeHome {
  const { home, restore } = host;
  let isPreparing = false;

  /** Checks the stage of a replacement. */
  async function check(
    replacement: HomeReplacement,
    { signal }: WholeHomeOwner,
  ): Promise<CheckedStage> {
    const stage = restore.stage(checkReplacement(replacement, restore));
    const stats = await lstat(stage).catch(() => undefined);
    if (!stats?.isDirectory())
      throw new TypeError(`${stage} is not a stage of this home.`);
    // Records are merged into a store that is open, or not at all.
    if (replacement.mode === "merge") host.engine();
    const content = await checkStage(stage, signal, home.folder);
    const concerned = [...new Set([...content.namespaces, ...content.plugins])];
    return { stage, content, concerned };
  }

  /** Prepares a merge while all plugins still run: a stage that cannot be merged is refused before any of them stops. */
  async function prepareToMerge(
    { stage, content, concerned }: CheckedStage,
    { id, signal }: WholeHomeOwner,
  ): Promise<ReplacementItems> {
    const needed = host.neededBy(id);
    for (const name of concerned) {
      if (isReservedId(name) || name === id)
        throw new TypeError(`What belongs to "${name}" cannot be merged.`);
      if (needed.has(name))
        throw new TypeError(
          `What belongs to "${name}" cannot be merged by "${id}", which needs it and would be stopped with it.`,
        );
    }
    return prepareMerge(host, stage, content, signal);
  }

  /** Prepares a replacement, and stores it. */
  async function store(
    replacement: HomeReplacement,
    stage: string,
    items: ReplacementItems,
    { id, signal }: WholeHomeOwner,
  ): Promise<PendingReplacement> {
    const { mode, note, keepsSessions } = replacement;
    await writeItems(stage, items);
    await host.audit.record("home.replacement-begun", { plugin: id, mode });
    signal.throwIfAborted();
    const pending: PendingReplacement = {
      format: 2,
      stage: basename(stage),
      mode,
      keepsSessions,
      isInHome: host.storage === "sqlite",
      plugin: id,
      note: { ...note },
    };
    try {
      await restore.writePending(pending);
    } catch (error) {
      // The file may exist although its write was not confirmed.
      await restore.removePending();
      throw error;
    }
    return pending;
  }

  /** Makes a replacement happen. */
  async function begin(replacement: HomeReplacement, owner: WholeHomeOwner) {
    const { mode, beforeReplacing } = replacement;
    const refuse = (error: unknown): never => {
      owner.signal.throwIfAborted();
      if (error instanceof TypeError) throw error;
      throw toStorageError(error);
    };
    const checked = await check(replacement, owner).catch(refuse);
    const { stage, content, concerned } = checked;
    const merged =
      mode === "merge"
        ? await prepareToMerge(checked, owner).catch(refuse)
        : undefined;

    async function prepare(): Promise<PendingReplacement> {
      const added = (await beforeReplacing?.call(replacement)) ?? {};
      const note = { ...replacement.note, ...added };
      try {
        // Its plugins may have changed what is there until they stopped.
        const items = merged
          ? { ...merged, paths: await toMergedPaths(home, content) }
          : await prepareWhole(host, stage, content, owner.signal);
        return await store({ ...replacement, note }, stage, items, owner);
      } catch (error) {
        return refuse(error);
      }
    }
    await host.carryOut({ mode, concerned, owner, prepare });
  }

  return (owner) => ({
    version: host.version,
    folder: home.folder,
    data: home.data,
    plugins: host.plugins,
    recordVersions: host.recordVersions,
    checkConfig: (text) => void checkStagedConfig(host, text),
    rehearse: host.rehearse,
    async readStore(signal) {
      const either = AbortSignal.any([signal, owner.signal]);
      either.throwIfAborted();
      return toStoreImage(await host.engine().openImage(), either);
    },
    async stage() {
      owner.signal.throwIfAborted();
      await restore.make();
      const stage = restore.stage(randomBytes(9).toString("hex"));
      await mkdir(stage, { mode: 0o700 });
      return stage;
    },
    async replace(replacement) {
      owner.signal.throwIfAborted();
      if (isPreparing) throw errors.HOME_REPLACEMENT_PENDING();
      isPreparing = true;
      try {
        if (await restore.readPending())
          throw errors.HOME_REPLACEMENT_PENDING();
        await begin(replacement, owner);
      } finally {
        isPreparing = false;
      }
    },
    lastReplacement: () => restore.readResult(),
  });
}

/** The name of the stage that is handed in. @throws TypeError for a folder that is none, or a note that is too long */
function checkReplacement(
  { stage, mode, note }: HomeReplacement,
  restore: RestoreFolder,
): string {
  if (mode !== "replace" && mode !== "merge")
    throw new TypeError(`"${String(mode)}" is not a way to replace a home.`);
  if (typeof note !== "object" || note === null || Array.isArray(note))
    throw new TypeError("The note of a replacement is an object.");
  if (Buffer.byteLength(JSON.stringify(note)) > MAX_NOTE_BYTES)
    throw new TypeError("The note of a replacement is too long.");
  const name = basename(stage);
  if (dirname(stage) !== restore.folder || !/^[a-z0-9]+$/.test(name))
    throw new TypeError(`${stage} is not a stage of this home.`);
  return name;
}
