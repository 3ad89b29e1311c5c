import type { DaemonProgram, PluginContext } from "@gantry/plugin";
import { endTree, readLeft, REAL_TIME } from "./end-tree.ts";
import type { EndClock } from "./end-tree.ts";
import { toOwnTree } from "./own-tree.ts";
import { createProcessMarks } from "./process-marks.ts";
import type {
  ProcessIdentity,
  ProcessMember,
  SystemProcess,
} from "./process-table.ts";
import { sortIntoTrees } from "./process-trees.ts";
import type { ProcessTrees } from "./process-trees.ts";
import { readProcesses } from "./read-processes.ts";

/** A program that a plugin runs through the daemon, with all that it started. */
export interface MeasuredProgram extends Omit<DaemonProgram, "mark"> {
  /** Its own process and those that it started; empty where the system does not say. */
  members: ProcessMember[];
  /** Time that all of them have used the processor; `null` where the system does not say. */
  cpuMs: number | null;
  /** Memory that all of them hold; `null` where the system does not say. */
  memoryBytes: number | null;
}

/** What {@link ProgramView.end} ends. */
export interface EndedProgram extends Pick<DaemonProgram, "pid" | "startedAt"> {
  /** A process of the program; the whole program unless given. */
  member?: ProcessIdentity;
}

/** Measures the programs that plugins run, and ends them. */
export interface ProgramView {
  /** What plugins run now, the newest first. */
  list(): Promise<MeasuredProgram[]>;
  /**
   * Ends a program with all that it started: TERM, and KILL to what is left after 5 s. Resolves when it is gone, with `false`
   * if no plugin runs it or it began at another time.
   *
   * With `member`, ends only that process of the program with what it started, and the rest of its job if a shell with
   * job control runs it. What runs it continues: the shell, and the program if that is a host. `false` if it has ended.
   */
  end(program: EndedProgram): Promise<boolean>;
}

/** Parts of a plugin's context that {@link createProgramView} needs. */
export type ProgramViewHost = Pick<PluginContext, "daemon" | "log">;

/** Creates a view, which remembers the processes that it has looked at; a plugin needs one. */
export function createProgramView(
  { daemon, log }: ProgramViewHost,
  clock: EndClock = REAL_TIME,
): ProgramView {
  const marks = createProcessMarks();

  /** What plugins run, with the trees of this moment. */
  async function look() {
    const table = await readProcesses();
    const programs = await daemon.programs();
    const trees = table && sortIntoTrees(table, marks.read(table));
    return { programs, trees };
  }

  /** Reads what is left of a whole program, which the daemon lists until it has ended what left the tree. */
  function followProgram(program: DaemonProgram, trees?: ProcessTrees) {
    let left = trees?.of(program);
    return async () => {
      left = left && [...(await readLeft(left))];
      const isListed = (await daemon.programs()).some((each) =>
        isSame(each, program),
      );
      // Of a tree that the system does not tell, the root is known.
      const processes = left ?? (isListed ? [program] : []);
      return { processes, isGone: !isListed && processes.length === 0 };
    };
  }

  return {
    async list() {
      const { programs, trees } = await look();
      return programs.map((program) => measure(program, trees));
    },
    async end({ member, ...wanted }) {
      const { programs, trees } = await look();
      const program = programs.find((each) => isSame(each, wanted));
      if (!program) return false;
      const { pid, plugin, program: name, isHost } = program;
      const isWhole = !member || (member.pid === pid && !isHost);
      const part = isWhole
        ? undefined
        : trees && toOwnTree(member, program, trees);
      if (!isWhole && !part) return false;
      const what = { plugin, program: name, pid: member?.pid ?? pid };
      log.info("Ends a program on request", what);
      await endTree(
        part ? followProcesses(part) : followProgram(program, trees),
        clock,
      );
      return true;
    },
  };
}

const isSame = (
  one: Pick<DaemonProgram, "pid" | "startedAt">,
  other: Pick<DaemonProgram, "pid" | "startedAt">,
) => one.pid === other.pid && one.startedAt === other.startedAt;

function followProcesses(processes: readonly SystemProcess[]) {
  let left = processes;
  return async () => {
    left = await readLeft(left);
    return { processes: left, isGone: left.length === 0 };
  };
}

function measure(
  { mark, ...program }: DaemonProgram,
  trees: ProcessTrees | undefined,
): MeasuredProgram {
  const tree = trees?.of({ mark, ...program });
  const sum = (field: "cpuMs" | "memoryBytes") =>
    tree ? tree.reduce((total, process) => total + process[field], 0) : null;
  return {
    ...program,
    members: (tree ?? []).map(({ parent: _parent, ...member }) => member),
    cpuMs: sum("cpuMs"),
    memoryBytes: sum("memoryBytes"),
  };
}
