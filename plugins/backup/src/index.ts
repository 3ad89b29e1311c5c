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
import { readStanding, readState } from "./work/read-state.ts";

const EVERY_MINUTE = "* * * * *";
const START_DELAY_MS = 5000;

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
    const { settings, shelf, notices, clock } = host;
    const backups = createBackups(host);
    const state = () => readState(host, backups.results);
    const folder = () => settings.current.folder;
    const reveal = createReveal({ run: ctx.run, clock, shelf, folder });

    const routeHost = { settings, shelf, backups, reveal, readState: state };
    for (const route of createBackupRoutes(routeHost)) ctx.route(route);
    ctx.diagnose(async () => diagnoseBackup(await readStanding(host), clock));
    ctx.on(HomeReplaced, () => backups.results.tell());
    ctx.onService(InboxItems, () => notices.connected());
    ctx.cron(EVERY_MINUTE, () => backups.tick(), { timezone: "UTC" });
    let working = backups.results.tell();
    ctx.own(() => working);
    let cancelStart = () => {};
    ctx.own(() => cancelStart());
    // Not before others have started. On a copy of the home, where the clock stands still, the backup folder is not touched.
    cancelStart = clock.after(START_DELAY_MS, () => {
      working = working.then(backups.tick).then(backups.collect);
    });
  },
});
