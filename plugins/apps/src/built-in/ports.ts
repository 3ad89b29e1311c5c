import type { DaemonProcess, PluginContext } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import type { App, AppView } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ListeningPort } from "./ports/listening-port.ts";
import { readLsofPorts } from "./ports/read-lsof-ports.ts";
import { readProcPorts } from "./ports/read-proc-ports.ts";
import { stopProgram, toStopButton } from "./stop-program.ts";
import { toSubjectCell } from "./subject-cell.ts";

const REFRESH_MS = 5_000;
/** What `localhost` reaches. */
const LOCAL_NAMES = new Set(["127.0.0.1", "0.0.0.0", "::1", "::"]);

/** Dependencies of {@link createPortsApp}. */
export interface PortsHost extends Pick<
  PluginContext,
  "daemon" | "run" | "clock"
> {
  wants: { messages(): AgentMessages | undefined };
}

/** Shows who listens on this machine, and stops what the daemon runs. */
export function createPortsApp(host: PortsHost): App {
  const { daemon, run } = host;
  return {
    id: "ports",
    name: "Ports",
    icon: "i-lucide-ethernet-port",
    summary: "Who listens on this machine, and which agent started it.",
    async view({ path }, signal): Promise<AppView> {
      if (path !== "")
        throw errors.APP_PAGE_NOT_FOUND({
          id: "ports",
          reason: "It has one page only.",
        });
      const ports =
        (await readProcPorts()) ?? (await readLsofPorts(run, signal));
      if (!ports) return UNSUPPORTED;
      const programs = await daemon.processes();
      const sorted = ports.sort((one, other) => one.port - other.port);
      return {
        title: "Ports",
        description: "TCP ports that programs of this machine listen on.",
        blocks: [
          {
            type: "table",
            columns: [
              { key: "port", label: "Port" },
              { key: "program", label: "Program" },
              { key: "owner", label: "Started by" },
              { key: "reach", label: "Reached from" },
              { key: "address", label: "Address", isMinor: true },
              { key: "pid", label: "Process", align: "end", isMinor: true },
            ],
            rows: await Promise.all(
              sorted.map((port) => toRow(port, programs, host, signal)),
            ),
            isSearchable: ports.length > 8,
            empty: "Nothing listens.",
          },
        ],
        refreshMs: REFRESH_MS,
      };
    },
    action: (input) => stopProgram("ports", input, host),
  };
}

const UNSUPPORTED: AppView = {
  title: "Ports",
  blocks: [
    {
      type: "markdown",
      text: "This system does not tell which ports are in use: it has neither `/proc/net` nor `lsof`. Install `lsof` and load this page again.",
    },
  ],
};

async function toRow(
  { port, address, pid, program }: ListeningPort,
  programs: readonly DaemonProcess[],
  { daemon, wants }: PortsHost,
  signal: AbortSignal,
) {
  const isDaemon = pid === daemon.pid;
  const parent = programs.find(({ pids }) => pids.includes(pid ?? -1));
  const owner = parent
    ? await toSubjectCell(parent, wants.messages(), signal)
    : null;
  return {
    id: `${address} ${port} ${pid ?? ""}`,
    cells: {
      port: { text: String(port), url: toUrl(address, port) },
      program: isDaemon ? "gantry" : (program ?? "Of another user"),
      owner: isDaemon ? "The daemon itself" : owner,
      reach: toReach(address),
      address,
      pid: pid === undefined ? null : String(pid),
    },
    actions: parent
      ? [
          toStopButton(
            parent,
            `This ends ${parent.program}, which listens on port ${port}, with all that it started.`,
          ),
        ]
      : [],
  };
}

/** Where a browser on this machine finds it. */
function toUrl(address: string, port: number): string {
  if (LOCAL_NAMES.has(address)) return `http://localhost:${port}`;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

function toReach(address: string) {
  if (address === "0.0.0.0" || address === "::")
    return { text: "Everywhere", tone: "attention" as const };
  if (address.startsWith("127.") || address === "::1") return "This machine";
  return "One network";
}
