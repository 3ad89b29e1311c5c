import { toVisibleText } from "@gantry/plugin";
import { measureDaemon } from "@gantry/process-kit";
import type { MeasuredProgram } from "@gantry/process-kit";
import type { App, AppBlock, AppView } from "../contract.ts";
import { errors } from "../errors.ts";
import { findOwner } from "./program-owner.ts";
import type { OwnerServices, ProgramOwner } from "./program-owner.ts";
import { toJobs } from "./processes/jobs.ts";
import type { Job } from "./processes/jobs.ts";
import { UsageHistory } from "./processes/usage-history.ts";
import type { UsageSample } from "./processes/usage-history.ts";
import { stopProgram, toStopButton } from "./stop-program.ts";
import type { StopHost } from "./stop-program.ts";

const REFRESH_MS = 2_000;
/** A chart has no more lines. */
const MAX_SERIES = 8;

/** Dependencies of {@link createProcessesApp}. */
export interface ProcessesHost extends StopHost {
  wants: OwnerServices;
}

/** Shows everything that the daemon runs, and stops it. */
export function createProcessesApp(host: ProcessesHost): App {
  const { daemon, clock, programs } = host;
  const history = new UsageHistory();

  return {
    id: "processes",
    name: "Processes",
    icon: "i-lucide-cpu",
    summary: "Everything that the daemon runs, and what it takes.",
    async badge() {
      const count = (await daemon.programs()).length;
      if (count === 0) return null;
      return {
        text: String(count),
        label: count === 1 ? "1 program runs" : `${count} programs run`,
      };
    },
    async view({ path }, signal): Promise<AppView> {
      if (path !== "")
        throw errors.APP_PAGE_NOT_FOUND({
          id: "processes",
          reason: "It has one page only.",
        });
      const processes = [measureDaemon(daemon), ...(await programs.list())];
      const parts = processes.flatMap((process) => [
        { process, job: undefined },
        ...toJobs(process).map((job) => ({ process, job })),
      ]);
      const samples = history.add(
        clock.now(),
        parts.map(({ process, job }) => job?.usage ?? process),
      );
      const rows = await Promise.all(
        parts.map(async ({ process, job }) =>
          toRow(process, job, {
            percent: history.percentOf(job?.usage ?? process),
            owner: await findOwner(
              process,
              job?.member.pid ?? process.pid,
              host.wants,
              signal,
            ),
          }),
        ),
      );
      return {
        title: "Processes",
        description:
          "The daemon and all programs that its plugins run. 100 % is one processor.",
        blocks: [
          {
            type: "split",
            blocks: [
              toChart("Processor", "percent", samples, "cpuPercent"),
              toChart("Memory", "bytes", samples, "memoryBytes"),
            ],
          },
          toTable(rows),
        ],
        refreshMs: REFRESH_MS,
      };
    },
    action: (input) => stopProgram("processes", input, host),
  };
}

type Chart = Extract<AppBlock, { type: "chart" }>;

function toChart(
  title: string,
  unit: "percent" | "bytes",
  samples: readonly UsageSample[],
  field: "cpuPercent" | "memoryBytes",
): Chart {
  const newest = samples.at(-1)?.[field] ?? new Map<string, number>();
  const owners = new Set(
    samples.flatMap((sample) => [...sample[field].keys()]),
  );
  const shown = [...owners]
    .sort((one, other) => (newest.get(other) ?? 0) - (newest.get(one) ?? 0))
    .slice(0, MAX_SERIES)
    .sort();
  return {
    type: "chart",
    kind: "lines",
    title,
    unit,
    times: samples.map(({ at }) => new Date(at).toISOString()),
    series: shown.map((owner) => ({
      label: owner === "kernel" ? "daemon" : owner,
      values: samples.map((sample) => sample[field].get(owner) ?? null),
    })),
  };
}

function toRow(
  process: MeasuredProgram,
  job: Job | undefined,
  { percent, owner }: { percent: number; owner: ProgramOwner },
) {
  const { pid, plugin, startedAt, cwd, members, isHost, subject } = process;
  const program = job ? toVisibleText(job.name) : process.program;
  const isDaemon = plugin === "kernel";
  // Shells of the user run in it: their jobs have rows of their own.
  const isOfMany = isHost && subject === null && !job;
  const confirm = `This ends ${program}${owner.phrase} with all that it started. What it has not saved is lost.`;
  return {
    id: `${job?.member.pid ?? pid}-${job?.member.startTime ?? startedAt}`,
    program,
    owner: isDaemon ? "The daemon itself" : owner.cell,
    percent,
    memoryBytes: job ? job.usage.memoryBytes : process.memoryBytes,
    count: job ? job.count : Math.max(1, members.length),
    startedAt: job ? null : startedAt,
    cwd: job ? (owner.screen?.cwd ?? null) : cwd,
    actions: isOfMany ? [] : [toStopButton(process, job?.member, confirm)],
  };
}

function toTable(rows: readonly ReturnType<typeof toRow>[]): AppBlock {
  return {
    type: "table",
    title: "Programs",
    columns: [
      { key: "program", label: "Program" },
      { key: "owner", label: "Runs for" },
      { key: "cpu", label: "Processor", align: "end" },
      { key: "memory", label: "Memory", align: "end" },
      { key: "count", label: "Processes", align: "end", isMinor: true },
      { key: "started", label: "Started", isMinor: true },
      { key: "folder", label: "Folder", isMinor: true },
    ],
    rows: rows.map(({ id, actions, ...row }) => ({
      id,
      cells: {
        program: row.program,
        owner: row.owner,
        cpu: { percent: Math.round(row.percent * 10) / 10 },
        memory: row.memoryBytes === null ? null : { bytes: row.memoryBytes },
        count: row.count,
        started: row.startedAt === null ? null : { time: row.startedAt },
        folder: row.cwd?.slice(0, 2000) ?? null,
      },
      actions,
    })),
    isSearchable: rows.length > 8,
  };
}
