import type { MeasuredProgram, ProcessMember } from "@gantry/process-kit";
import type { ProcessUsage } from "./usage-history.ts";

/** What a shell in a terminal runs: a command, with the processes of its group. */
export interface Job {
  /** The process that the group is named after, or the first that is left of it. */
  member: ProcessMember;
  name: string;
  count: number;
  usage: ProcessUsage;
}

/** The jobs of the shells that a program runs, if it is a host of terminals. */
export function toJobs({
  pid,
  plugin,
  subject,
  isHost,
  members,
}: MeasuredProgram): Job[] {
  if (!isHost || subject !== null) return [];
  const groupOf = new Map(members.map((member) => [member.pid, member.group]));
  const groups = new Map<number, ProcessMember[]>();
  for (const member of members) {
    const { group, session } = member;
    if (session === null || session === pid) continue;
    // What has left its terminal has no shell any more, and what is in the group of its shell is no job.
    const ofShell = groupOf.get(session);
    if (ofShell === undefined || ofShell === group) continue;
    const job = groups.get(group);
    if (job) job.push(member);
    else groups.set(group, [member]);
  }
  return [...groups].map(([group, processes]) => {
    const first = processes.find((process) => process.pid === group);
    const member = first ?? processes[0]!;
    const sum = (field: "cpuMs" | "memoryBytes") =>
      processes.reduce((total, process) => total + process[field], 0);
    return {
      member,
      name: member.name ?? String(member.pid),
      count: processes.length,
      usage: {
        pid: member.pid,
        startedAt: member.startTime,
        plugin,
        cpuMs: sum("cpuMs"),
        memoryBytes: sum("memoryBytes"),
        isPart: true,
      },
    };
  });
}
