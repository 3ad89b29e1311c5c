import type { PluginContext } from "@gantry/plugin";
import type { AgentDirectory } from "@gantry/plugin-agents/contract";
import type { AutomationActivity } from "@gantry/plugin-automations/contract";
import type { InboxItems } from "@gantry/plugin-inbox/contract";
import type { BackupConfig } from "../config.ts";
import { BackupProgressed } from "../contract.ts";
import { createJobRunner } from "../jobs/job-runner.ts";
import { createKeyRing } from "../keys/key-ring.ts";
import { createNotices } from "../notices.ts";
import { openSchedule } from "../schedule/schedule.ts";
import { openHistory, openSettings } from "../settings/backup-record.ts";
import { openHomeIdentity } from "../settings/home-identity.ts";
import { createSettingsBook } from "../settings/settings-book.ts";
import { createSnapshotShelf } from "../snapshots/snapshot-shelf.ts";
import type { BackupHost } from "./backup-host.ts";

type Context = PluginContext<
  BackupConfig,
  Record<never, never>,
  {
    inbox: typeof InboxItems;
    activity: typeof AutomationActivity;
    directory: typeof AgentDirectory;
  }
>;

/** After a wrong passphrase the next one is not tried for so long. */
const WRONG_PASSPHRASE_MS = 1000;

/** Puts together what the work on snapshots shares. */
export async function openBackupHost(ctx: Context): Promise<BackupHost> {
  const { store, clock, log, signal, wants, wholeHome: home } = ctx;
  const folder = await ctx.folder();
  const history = await openHistory(store);
  const schedule = await openSchedule(history, clock);
  const keys = createKeyRing(folder, () =>
    clock.sleep(WRONG_PASSPHRASE_MS, signal).catch(() => undefined),
  );
  await keys.removeDrafts();
  const identity = await openHomeIdentity(folder, home.folder);
  const settings = createSettingsBook({
    settings: await openSettings(store),
    copied: { home: home.folder, data: home.data },
    ...{ folder, keys, log },
    keyOptions: { workFactor: ctx.config.passphraseWork },
    onFolderChosen: schedule.folderChosen,
    audit: (action, details) => ctx.audit(action, details),
  });
  // A restore, or a store of an earlier day, may have brought others.
  await settings.copy();
  const jobs = createJobRunner({
    ...{ clock, log, signal },
    publish: (job) =>
      ctx.prepare(() =>
        ctx.emit(BackupProgressed.of(job.snapshotId ?? "backup", job)),
      ),
  });
  ctx.own(() => jobs.settled());
  return {
    ...{ home, clock, log, signal, settings, history, jobs, keys },
    identity,
    schedule,
    shelf: createSnapshotShelf(() => settings.current.folder, identity, signal),
    notices: createNotices(wants.inbox, log, signal),
    prepare: (work) => ctx.prepare(work),
    emit: (...events) => ctx.emit(...events),
    audit: (action, details) => ctx.audit(action, details),
    activePlugins: () =>
      ctx.daemon
        .plugins()
        .filter(({ state }) => state === "active")
        .map(({ id }) => id),
    activity: wants.activity,
    directory: wants.directory,
  };
}
