import type {
  Clock,
  DaemonPlugin,
  DaemonProcess,
  DaemonView,
  Log,
  RunningProcess,
} from "@gantry/plugin";
import { dirname } from "node:path";
import type { PluginPackage } from "../plugins/manifest.ts";
import { readSharedStyle } from "../plugins/plugin-styles.ts";
import type { LogRing } from "@gantry/system/log/log-ring";
import type { Children } from "@gantry/system/processes/children";
import type { DetachedPrograms } from "@gantry/system/processes/detached-programs";
import type { ProcessTrees } from "@gantry/system/processes/process-tree";
import { endTree } from "@gantry/system/processes/end-tree";
import { createProcessMarks } from "@gantry/system/processes/process-marks";
import { sortIntoTrees } from "@gantry/system/processes/process-tree";
import { readProcesses } from "@gantry/system/processes/read-processes";

/** A plugin, with its package if it has one. */
type ViewedPlugin = DaemonPlugin & {
  package?: Pick<PluginPackage, "origin" | "ui"> | undefined;
};

/** Dependencies of {@link createDaemonView}. */
export interface DaemonViewHost {
  startedAt: string;
  bootId: string;
  plugins(): readonly ViewedPlugin[];
  children: Children;
  detached: DetachedPrograms;
  logRing: LogRing;
  log: Log;
  /** A clock with real time, since programs run in it. */
  clock: Clock;
}

/** A program, with the handle of one that ends with the daemon. */
interface Program extends Omit<
  DaemonProcess,
  "pids" | "cpuMs" | "memoryBytes"
> {
  mark?: string;
  child?: RunningProcess;
}

const NAME = "gantry";

/** Creates the view of the daemon's programs and log for plugins. */
export function createDaemonView(host: DaemonViewHost): DaemonView {
  const { startedAt, bootId, children, detached, logRing, log, clock } = host;
  const marks = createProcessMarks();

  /** Lists the programs of plugins with their current process trees. */
  async function look() {
    const table = await readProcesses();
    const programs: Program[] = [
      ...children
        .list()
        .map(({ child, ...origin }) => ({ ...origin, pid: child.pid, child })),
      ...(await detached.list(table)).map((program) => ({
        ...program,
        subject: null,
      })),
    ];
    const trees = table && sortIntoTrees(table, marks.read(table));
    return { programs, trees };
  }

  return {
    pid: process.pid,
    bootId,
    startedAt,
    self: async () => ({
      pid: process.pid,
      plugin: "kernel",
      program: NAME,
      cwd: process.cwd(),
      startedAt,
      subject: null,
      pids: [process.pid],
      cpuMs: cpuMsOfDaemon(),
      memoryBytes: process.memoryUsage.rss(),
    }),
    async pluginUis() {
      const uis = host.plugins().map(async (plugin) => {
        const ui = plugin.state === "active" ? plugin.package?.ui : undefined;
        if (!plugin.package || ui === undefined) return [];
        const sharedStyle = await readSharedStyle(plugin.package);
        return [{ plugin: plugin.id, folder: dirname(ui), sharedStyle }];
      });
      return (await Promise.all(uis)).flat();
    },
    plugins: () =>
      host.plugins().map(({ id, version, state, reason }) => ({
        id,
        version,
        state,
        reason,
      })),
    async processes() {
      const { programs, trees } = await look();
      return programs
        .map((program) => measure(program, trees))
        .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
    },
    async endProcess(wanted) {
      const { programs, trees } = await look();
      const program = programs.find(
        ({ pid, startedAt }) =>
          pid === wanted.pid && startedAt === wanted.startedAt,
      );
      if (!program) return false;
      const { pid, plugin, program: name, mark, child } = program;
      log.info("Ends a program on request", { plugin, program: name, pid });
      const processes = trees?.of(pid, mark) ?? [];
      await endTree({ pid, child, processes }, clock);
      return true;
    },
    logLines: (options) => logRing.read(options),
  };
}

function measure(program: Program, trees: ProcessTrees | undefined) {
  const { child: _child, mark, ...origin } = program;
  const { pid } = origin;
  const tree = trees?.of(pid, mark);
  const sum = (field: "cpuMs" | "memoryBytes") =>
    tree ? tree.reduce((total, process) => total + process[field], 0) : null;
  return {
    ...origin,
    // A program that has just ended may still be listed.
    pids: tree && tree.length > 0 ? tree.map((process) => process.pid) : [pid],
    cpuMs: sum("cpuMs"),
    memoryBytes: sum("memoryBytes"),
  };
}

function cpuMsOfDaemon(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000);
}
