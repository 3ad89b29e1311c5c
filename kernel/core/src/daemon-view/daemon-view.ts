import type { DaemonPlugin, DaemonProgram, DaemonView } from "@gantry/plugin";
import type { LogRing } from "@gantry/system/log/log-ring";
import type { Children } from "@gantry/system/processes/children";
import type { DetachedPrograms } from "@gantry/system/processes/detached-programs";
import type { PluginStatus } from "../plugins/plugin-status.ts";

/** Dependencies of {@link createDaemonView}. */
export interface DaemonViewHost {
  startedAt: string;
  plugins(): readonly PluginStatus[];
  children: Children;
  detached: DetachedPrograms;
  logRing: LogRing;
}

/** Makes what plugins see of the daemon's programs and log. */
export function createDaemonView(
  host: DaemonViewHost,
): Pick<DaemonView, "pid" | "startedAt" | "plugins" | "programs" | "logLines"> {
  const { startedAt, children, detached, logRing } = host;
  return {
    pid: process.pid,
    startedAt,
    plugins: () => host.plugins().map(toDaemonPlugin),
    async programs() {
      const outliving = await detached.list();
      const programs: DaemonProgram[] = [
        ...children
          .list()
          .map(({ child, ...origin }) => ({ pid: child.pid, ...origin })),
        ...outliving.map(({ mark = null, ...program }) => ({
          ...program,
          subject: null,
          mark,
        })),
      ];
      return programs.sort((one, other) =>
        one.startedAt < other.startedAt ? 1 : -1,
      );
    },
    logLines: (options) => logRing.read(options),
  };
}

function toDaemonPlugin(status: PluginStatus): DaemonPlugin {
  const { id, summary, version, origin, state, reason, faults } = status;
  const ui = status.package?.ui ?? null;
  return { id, summary, version, origin, state, reason, faults, ui };
}
