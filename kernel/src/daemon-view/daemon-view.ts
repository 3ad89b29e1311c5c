import type {
  Clock,
  DaemonPlugin,
  DaemonProcess,
  DaemonView,
  Log,
  RunningProcess,
} from "@gantry/plugin";
import type { LogRing } from "../log/log-ring.ts";
import type { Children } from "../processes/children.ts";
import type { DetachedPrograms } from "../processes/detached-programs.ts";
import { createProcessMarks } from "../processes/process-marks.ts";
import { sortIntoTrees } from "../processes/process-tree.ts";
import type { ProcessTrees } from "../processes/process-tree.ts";
import { readProcesses } from "../processes/read-processes.ts";
import { endTree } from "./end-tree.ts";
import { toOwnTree } from "./own-tree.ts";

/** Dependencies of {@link createDaemonView}. */
export interface DaemonViewHost {
  startedAt: string;
  plugins(): readonly DaemonPlugin[];
  children: Children;
  detached: DetachedPrograms;
  logRing: LogRing;
  log: Log;
  /** Real time, in which programs live. */
  clock: Clock;
}

/** A program, with the handle of one that ends with the daemon. */
interface Program extends Omit<
  DaemonProcess,
  "members" | "cpuMs" | "memoryBytes"
> {
  mark?: string;
  child?: RunningProcess;
}

const NAME = "gantry";

/** Makes what plugins see of the daemon's programs and log. */
export function createDaemonView(host: DaemonViewHost): DaemonView {
  const { startedAt, children, detached, logRing, log, clock } = host;
  const marks = createProcessMarks();

  /** What plugins run, with the trees of this moment. */
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
    startedAt,
    self: async () => ({
      pid: process.pid,
      plugin: "kernel",
      program: NAME,
      cwd: process.cwd(),
      startedAt,
      subject: null,
      isHost: true,
      members: [],
      cpuMs: cpuMsOfDaemon(),
      memoryBytes: process.memoryUsage.rss(),
    }),
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
    async endProcess({ member, ...wanted }) {
      const { programs, trees } = await look();
      const program = programs.find(
        ({ pid, startedAt }) =>
          pid === wanted.pid && startedAt === wanted.startedAt,
      );
      if (!program) return false;
      const { pid, plugin, program: name, mark, child } = program;
      const processes = trees?.of(pid, mark) ?? [];
      const isWhole = !member || (member.pid === pid && !program.isHost);
      const ended = isWhole
        ? { pid, child, processes }
        : trees && toOwnTree(member, program, { processes, trees });
      if (!ended) return false;
      const what = { plugin, program: name, pid: ended.pid };
      log.info("Ends a program on request", what);
      await endTree(ended, clock);
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
    members: (tree ?? []).map(({ parent: _parent, ...member }) => member),
    cpuMs: sum("cpuMs"),
    memoryBytes: sum("memoryBytes"),
  };
}

function cpuMsOfDaemon(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000);
}
