import { definePlugin, HomeReplaced } from "@gantry/plugin";
import { AgentDirectory } from "@gantry/plugin-agents/contract";
import { AutomationActivity } from "@gantry/plugin-automations/contract";
import { InboxItems } from "@gantry/plugin-inbox/contract";
import { backupConfig } from "./config.ts";
import { events } from "./events.ts";
import { errors } from "./errors.ts";
import { diagnoseBackup } from "./diagnose.ts";
import { createReveal } from "./reveal.ts";
import { createBackupRoutes } from "./routes/backup-routes.ts";
import { createBackups } from "./work/backups.ts";
import { openBackupHost } from "./work/open-backup-host.ts";
import { readState } from "./work/read-state.ts";

const EVERY_MINUTE = "* * * * *";

export default definePlugin({
  id: "backup",
  api: 1,
  summary:
    "Snapshots of the whole home, on a schedule, proven by restoring them",
  mounts: ["/api/backup"],
  wants: {
    inbox: InboxItems,
    activity: AutomationActivity,
    directory: AgentDirectory,
  },
  config: backupConfig,
  events,
  errors,
  async setup(ctx) {
    const host = await openBackupHost(ctx);
    const { settings, shelf, notices, clock, log, signal } = host;
    const backups = createBackups(host);
    const state = () => readState(host, backups.results);
    const folder = () => settings.current.folder;
    const reveal = createReveal({ run: ctx.run, clock, shelf, folder });

    const routeHost = { settings, shelf, backups, reveal, readState: state };
    for (const route of createBackupRoutes(routeHost)) ctx.route(route);
    ctx.diagnose(async () => diagnoseBackup(await state(), clock));
    ctx.on(HomeReplaced, () => backups.results.tell());
    ctx.whenThere(InboxItems, () => notices.connected());
    ctx.cron(EVERY_MINUTE, () => backups.tick(), { timezone: "UTC" });
    const starting = begin();
    ctx.own(() => starting);

    /** What the last daemon left, and the snapshot that is due since. Nobody waits for it. */
    async function begin(): Promise<void> {
      try {
        await backups.results.tell();
        await backups.collect();
        await backups.tick();
      } catch (error) {
        if (!signal.aborted) log.error("The backup did not begin", {}, error);
      }
    }
  },
});
