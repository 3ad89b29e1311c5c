import type { ProcessIdentity } from "@gantry/plugin";
import type { ProcessTrees } from "../processes/process-tree.ts";
import type { SystemProcess } from "../processes/read-processes.ts";
import type { ProgramTree } from "./end-tree.ts";

/**
 * What is ended with one process of a program, and leaves the program running: the process with what it started. If a shell
 * with job control runs it, that is the whole of its job, since `npm run dev` without its server is of no use. `undefined` if
 * it has ended, or is the program itself.
 */
export function toOwnTree(
  { pid, startTime }: ProcessIdentity,
  program: { pid: number },
  {
    processes,
    trees,
  }: { processes: readonly SystemProcess[]; trees: ProcessTrees },
): ProgramTree | undefined {
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
  const found = new Set(roots.flatMap((root) => trees.of(root.pid)));
  return { pid, child: undefined, processes: [...found] };
}
