import type { DaemonProgram } from "@gantry/plugin";
import type { ProcessIdentity, SystemProcess } from "./process-table.ts";
import type { ProcessTrees } from "./process-trees.ts";

/**
 * What is ended with one process of a program, and leaves the program running: the process with what it started. If a shell
 * with job control runs it, that is the whole of its job, since `npm run dev` without its server is of no use. `undefined` if
 * it has ended, or is the program itself.
 */
export function toOwnTree(
  { pid, startTime }: ProcessIdentity,
  program: Pick<DaemonProgram, "pid" | "mark">,
  trees: ProcessTrees,
): SystemProcess[] | undefined {
  const processes = trees.of(program);
  const member = processes.find((process) => process.pid === pid);
  if (member?.startTime !== startTime || pid === program.pid) return undefined;
  const { group, session } = member;
  const leader = processes.find((process) => process.pid === session);
  // Without job control all that a shell starts is in its own group. The program's own session has no shell of a user.
  const isJob =
    leader && leader.pid !== program.pid && leader.group !== member.group;
  const roots = isJob
    ? processes.filter(
        (process) => process.group === group && process.session === session,
      )
    : [member];
  return [...new Set(roots.flatMap((root) => trees.of({ pid: root.pid })))];
}
