import { randomBytes } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import type { HomeReplacement, WholeHome } from "@gantry/plugin";
import type { Audit } from "../audit/audit.ts";
import { errors } from "../errors.ts";
import type { Engine } from "../store/engine.ts";
import { toStorageError } from "../store/storage-error.ts";
import { checkReplacement } from "./check-replacement.ts";
import { checkStage } from "./check-stage.ts";
import type { StageContent } from "./check-stage.ts";
import {
  checkStagedConfig,
  prepareMerge,
  prepareWhole,
} from "./prepare-replacement.ts";
import type { PrepareHost } from "./prepare-replacement.ts";
import { toStoreImage } from "./read-store.ts";
import type { PendingReplacement, RestoreFolder } from "./replacement-files.ts";
import { writeItems } from "./replacement-steps.ts";

/** Dependencies of {@link createWholeHome}. */
export interface WholeHomeHost extends PrepareHost {
  version: string;
  restore: RestoreFolder;
  audit: Pick<Audit, "record">;
  /** The store. Throws if it could not be opened. */
  engine(): Engine;
  /** Keeps other plugins than one from writing to the store. Not there while no plugin runs. */
  closeStoreFor?(plugin: string): Promise<() => void>;
  plugins: WholeHome["plugins"];
  recordVersions: WholeHome["recordVersions"];
  rehearse: WholeHome["rehearse"];
  /**
   * Carries out a replacement that is stored, or sees to it that somebody does. `replace` resolves with it, so it must not wait
   * for the plugin that asked.
   *
   * @param concerned Ids of the plugins whose records or files are staged.
   */
  carryOut(
    pending: PendingReplacement,
    concerned: readonly string[],
    owner: WholeHomeOwner,
  ): Promise<void> | void;
}

/** Who uses it. */
export interface WholeHomeOwner {
  /** Id of the plugin. */
  id: string;
  /** Aborts when the plugin stops: its images are closed, and it replaces nothing any more. */
  signal: AbortSignal;
}

/** Gives plugins the whole home. All that it gives share one home, of which one replacement at a time is made. */
export function createWholeHome(
  host: WholeHomeHost,
): (owner: WholeHomeOwner) => WholeHome {
  const { home, restore } = host;
  let isPreparing = false;

  /** Looks through what a replacement brings. */
  async function check(
    replacement: HomeReplacement,
    { signal }: WholeHomeOwner,
  ): Promise<{ stage: string; content: StageContent }> {
    const stage = restore.stage(checkReplacement(replacement, restore));
    const stats = await lstat(stage).catch(() => undefined);
    if (!stats?.isDirectory())
      throw new TypeError(`${stage} is not a stage of this home.`);
    // Records are merged into a store that is open, or not at all.
    if (replacement.mode === "merge") host.engine();
    return { stage, content: await checkStage(stage, signal, home.folder) };
  }

  /** Prepares a replacement, and stores it. */
  async function store(
    replacement: HomeReplacement,
    { stage, content }: { stage: string; content: StageContent },
    { id, signal }: WholeHomeOwner,
  ): Promise<PendingReplacement> {
    const { mode, note, keepsSessions } = replacement;
    const items =
      mode === "replace"
        ? await prepareWhole(host, stage, content, signal)
        : await prepareMerge(host, stage, content, { id, signal });
    await writeItems(stage, items);
    await host.audit.record("home.replacement-begun", { plugin: id, mode });
    signal.throwIfAborted();
    const pending: PendingReplacement = {
      format: 1,
      stage: checkReplacement(replacement, restore),
      mode,
      keepsSessions,
      isInHome: host.storage === "sqlite",
      plugin: id,
      note: { ...note },
      failure: null,
    };
    try {
      await restore.writePending(pending);
    } catch (error) {
      // It may be there although it is not known to be on disk.
      await restore.removePending();
      throw error;
    }
    return pending;
  }

  /** Makes a replacement happen. @returns also what lets all plugins write to the store again */
  async function begin(replacement: HomeReplacement, owner: WholeHomeOwner) {
    const refuse = (error: unknown): never => {
      owner.signal.throwIfAborted();
      if (error instanceof TypeError) throw error;
      throw toStorageError(error);
    };
    const checked = await check(replacement, owner).catch(refuse);
    const { namespaces, plugins } = checked.content;
    const concerned = [...new Set([...namespaces, ...plugins])];
    const openStore = await host.closeStoreFor?.(owner.id);
    try {
      const added = (await replacement.beforeReplacing?.()) ?? {};
      const note = { ...replacement.note, ...added };
      const noted = { ...replacement, note };
      const pending = await store(noted, checked, owner).catch(refuse);
      return { pending, concerned, openStore };
    } catch (error) {
      openStore?.();
      throw error;
    }
  }

  return (owner) => ({
    version: host.version,
    folder: home.folder,
    data: home.data,
    plugins: host.plugins,
    recordVersions: host.recordVersions,
    checkConfig: checkStagedConfig,
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
        const { pending, concerned, openStore } = await begin(
          replacement,
          owner,
        );
        // A store that is replaced as a whole takes no writes any more: they would be lost.
        if (pending.mode === "merge") openStore?.();
        await host.carryOut(pending, concerned, owner);
      } finally {
        isPreparing = false;
      }
    },
    lastReplacement: () => restore.readResult(),
  });
}
