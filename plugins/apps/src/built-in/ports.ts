import { toVisibleText } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { MeasuredProgram, ProcessMember } from "@gantry/process-kit";
import type { App, AppView } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ListeningPort } from "./ports/listening-port.ts";
import { hasOutputOf } from "./ports/has-output-of.ts";
import { isLocalAddress } from "./ports/is-local-address.ts";
import { readPorts } from "./ports/read-ports.ts";
import { findOwner } from "./program-owner.ts";
import type { OwnerServices, ProgramOwner } from "./program-owner.ts";
import { stopProgram, toStopButton } from "./stop-program.ts";
import type { StopHost } from "./stop-program.ts";

const REFRESH_MS = 5_000;

/** Dependencies of {@link createPortsApp}. */
export interface PortsHost extends StopHost, Pick<PluginContext, "run"> {
  wants: OwnerServices;
}

/** Shows who listens on this machine, and stops what the daemon runs. */
export function createPortsApp(host: PortsHost): App {
  const { run } = host;
  return {
    id: "ports",
    name: "Ports",
    icon: "i-lucide-ethernet-port",
    summary:
      "Who listens on this machine, and which agent or terminal started it.",
    async view({ path }, signal): Promise<AppView> {
      if (path !== "")
        throw errors.APP_PAGE_NOT_FOUND({
          id: "ports",
          reason: "It has one page only.",
        });
      const ports = await readPorts(run, signal);
      if (!ports) return UNSUPPORTED;
      const programs = await host.programs.list();
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
  listener: ListeningPort,
  programs: readonly MeasuredProgram[],
  { daemon, wants }: PortsHost,
  signal: AbortSignal,
) {
  const { port, address, pid, program } = listener;
  const isDaemon = pid === daemon.pid;
  const found = programs
    .map((each) => ({
      program: each,
      member: each.members.find((member) => member.pid === pid),
    }))
    .find(({ member }) => member);
  const owner = found
    ? await findOwner(found.program, pid ?? 0, wants, signal)
    : undefined;
  return {
    id: `${address} ${port} ${pid ?? ""}`,
    cells: {
      port: { text: String(port), url: toUrl(address, port) },
      program: isDaemon ? "gantry" : (program ?? "Of another user"),
      owner: isDaemon ? "The daemon itself" : (owner?.cell ?? null),
      reach: toReach(address),
      address,
      pid: pid === undefined ? null : String(pid),
    },
    actions:
      found && owner ? await toActions(listener, { ...found, ...owner }) : [],
  };
}

/** Stops what listens, never what runs it: a shell, the host of terminals, or an agent's CLI. */
async function toActions(
  { port, program: name }: ListeningPort,
  {
    program,
    member,
    screen,
    phrase,
  }: {
    program: MeasuredProgram;
    member: ProcessMember | undefined;
  } & ProgramOwner,
) {
  const isProgram = member?.pid === program.pid;
  if (!member) return [];
  // A CLI may listen itself, and ends with its agent or terminal.
  const isCli = isProgram
    ? program.isHost
    : screen
      ? screen.kind === "cli" && screen.pid === member.pid
      : program.isHost && (await hasOutputOf(member.pid, program.pid));
  if (isCli) return [];
  const shown = toVisibleText(name ?? program.program);
  return [
    toStopButton(
      program,
      isProgram ? undefined : member,
      `This ends ${shown}, which listens on port ${port}${phrase}, with all that it started.`,
    ),
  ];
}

/** Where a browser on this machine finds it. */
function toUrl(address: string, port: number): string {
  if (isLocalAddress(address)) return `http://localhost:${port}`;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

function toReach(address: string) {
  if (address === "0.0.0.0" || address === "::")
    return { text: "Everywhere", tone: "attention" as const };
  if (address.startsWith("127.") || address === "::1") return "This machine";
  return "One network";
}
