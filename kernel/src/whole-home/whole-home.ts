import { randomBytes } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import type { HomeReplacement, WholeHome } from "@gantry/plugin";
import type { Audit } from "../audit/audit.ts";
import { errors } from "../errors.ts";
import type { Engine } from "../store/engine.ts";
import { toStorageError } from "../store/storage-error.ts";
import { checkReplacement } from "./check-replacement.ts";
import { checkStage } from "./check-stage.ts";
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

  /** Checks and prepares a replacement, and stores it. */
  async function store(
    replacement: HomeReplacement,
    { id, signal }: WholeHomeOwner,
  ): Promise<{ pending: PendingReplacement; concerned: readonly string[] }> {
    const name = checkReplacement(replacement, restore);
    const { mode, note, keepsSessions } = replacement;
    const stage = restore.stage(name);
    const stats = await lstat(stage).catch(() => undefined);
    if (!stats?.isDirectory())
      throw new TypeError(`${stage} is not a stage of this home.`);
    // Records are merged into a store that is open, or not at all.
    if (mode === "merge") host.engine();
    const content = await checkStage(stage, signal, home.folder);
    const items =
      mode === "replace"
        ? await prepareWhole(host, stage, content, signal)
        : await prepareMerge(host, stage, content, { id, signal });
    await writeItems(stage, items);
    await host.audit.record("home.replacement-begun", { plugin: id, mode });
    signal.throwIfAborted();
    const pending: PendingReplacement = {
      format: 1,
      stage: name,
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
    const { namespaces, plugins } = content;
    return { pending, concerned: [...new Set([...namespaces, ...plugins])] };
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
        const { pending, concerned } = await store(replacement, owner).catch(
          (error: unknown) => {
            owner.signal.throwIfAborted();
            if (error instanceof TypeError) throw error;
            throw toStorageError(error);
          },
        );
        await host.carryOut(pending, concerned, owner);
      } finally {
        isPreparing = false;
      }
    },
    lastReplacement: () => restore.readResult(),
  });
}
