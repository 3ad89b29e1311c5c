import type { DaemonProcess, PluginContext } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import type { App, AppBlock, AppView } from "../contract.ts";
import { errors } from "../errors.ts";
import { UsageHistory } from "./processes/usage-history.ts";
import type { UsageSample } from "./processes/usage-history.ts";
import { stopProgram, toStopButton } from "./stop-program.ts";
import { toSubjectCell } from "./subject-cell.ts";

const REFRESH_MS = 2_000;
/** A chart has no more lines. */
const MAX_SERIES = 8;

/** Dependencies of {@link createProcessesApp}. */
export interface ProcessesHost extends Pick<PluginContext, "daemon" | "clock"> {
  wants: { messages(): AgentMessages | undefined };
}

/** Shows everything that the daemon runs, and stops it. */
export function createProcessesApp(host: ProcessesHost): App {
  const { daemon, clock } = host;
  const history = new UsageHistory();

  async function readAll(): Promise<DaemonProcess[]> {
    const [self, programs] = await Promise.all([
      daemon.self(),
      daemon.processes(),
    ]);
    return [self, ...programs];
  }

  return {
    id: "processes",
    name: "Processes",
    icon: "i-lucide-cpu",
    summary: "Everything that the daemon runs, and what it takes.",
    async badge() {
      const count = (await daemon.processes()).length;
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
      const processes = await readAll();
      const samples = history.add(clock.now(), processes);
      const rows = await Promise.all(
        processes.map(async (process) => ({
          ...toRow(process, history.percentOf(process)),
          owner: await toSubjectCell(process, host.wants.messages(), signal),
        })),
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

function toRow(process: DaemonProcess, percent: number) {
  const { pid, plugin, program, startedAt, cwd, pids, memoryBytes } = process;
  return {
    id: `${pid}-${startedAt}`,
    program,
    pid,
    cwd,
    percent,
    memoryBytes,
    count: pids.length,
    startedAt,
    isDaemon: plugin === "kernel",
  };
}

type Row = ReturnType<typeof toRow> & {
  owner: Awaited<ReturnType<typeof toSubjectCell>>;
};

function toTable(rows: readonly Row[]): AppBlock {
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
    rows: rows.map(({ id, isDaemon, ...row }) => ({
      id,
      cells: {
        program: row.program,
        owner: isDaemon ? "The daemon itself" : row.owner,
        cpu: { percent: Math.round(row.percent * 10) / 10 },
        memory: row.memoryBytes === null ? null : { bytes: row.memoryBytes },
        count: row.count,
        started: { time: row.startedAt },
        folder: row.cwd.slice(0, 2000),
      },
      actions: isDaemon
        ? []
        : [
            toStopButton(
              row,
              `This ends ${row.program} with all that it started. What it has not saved is lost.`,
            ),
          ],
    })),
    isSearchable: rows.length > 8,
  };
}
