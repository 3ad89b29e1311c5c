import type { DaemonView } from "@gantry/plugin";
import type { MeasuredProgram } from "./program-view.ts";

/** Measures the daemon itself, as one of its programs: `plugin` is `kernel`. */
export function measureDaemon({
  pid,
  startedAt,
}: Pick<DaemonView, "pid" | "startedAt">): MeasuredProgram {
  const { user, system } = process.cpuUsage();
  return {
    pid,
    plugin: "kernel",
    program: "gantry",
    cwd: process.cwd(),
    startedAt,
    subject: null,
    isHost: true,
    members: [],
    cpuMs: Math.round((user + system) / 1_000),
    memoryBytes: process.memoryUsage.rss(),
  };
}
