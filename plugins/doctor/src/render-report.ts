import type { DoctorReport, Finding } from "./report.ts";

const SEVERITY = { high: "WRONG", medium: "CHECK", low: "note" } as const;
const SHOWN_ENTRIES = 5;

/** A report for a terminal: what is wrong first, then what was seen. */
export function renderReport(report: DoctorReport): string {
  return [
    renderHead(report),
    renderFindings(report.findings),
    ...sections(report).map(
      ([title, lines]) =>
        `${title}\n${lines.map((line) => `  ${printable(line)}`).join("\n")}`,
    ),
  ].join("\n\n");
}

function renderHead({ version, node, platform, home, daemon }: DoctorReport) {
  const state = daemon
    ? `runs as process ${daemon.pid} and serves ${daemon.url}`
    : "does not run";
  return `Gantry ${version} on Node ${node}, ${platform}. It ${state}.\nHome: ${printable(home)}`;
}

function renderFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return "All is well.";
  return findings
    .map(
      ({ severity, what, fix }) =>
        `${SEVERITY[severity].padEnd(6)}${printable(what)}\n      ${printable(fix)}`,
    )
    .join("\n");
}

function sections(report: DoctorReport): [title: string, lines: string[]][] {
  const { listening, names, mode, tls, devices, plugins, programs } = report;
  const { storage, quarantine, audit, daemon } = report;
  const all: [string, string[]][] = [
    [
      daemon ? "Listens on" : "Would listen on",
      listening.map(
        ({ address, port, reach }) => `${address} port ${port}, for ${reach}`,
      ),
    ],
    [
      "Answers to",
      names.map(({ name, role }) =>
        role === "hook" ? `${name} (webhooks only)` : name,
      ),
    ],
    [
      "Access",
      [
        ...(mode === null
          ? []
          : [
              mode === "all"
                ? "All browsers pair."
                : "This machine itself need not pair.",
            ]),
        tls === "none" ? "Plain HTTP." : `HTTPS, certificate ${tls}.`,
      ],
    ],
    [
      "Paired devices",
      (devices ?? []).map(
        ({ device, address, lastSeenAt, online }) =>
          `${device} from ${address}, ${online ? "online" : `seen ${lastSeenAt}`}`,
      ),
    ],
    [
      "Plugins",
      plugins.map(
        ({ id, version, origin, state, digest }) =>
          `${id} ${version}, ${origin}, ${state}${digest ? `, sha256 ${digest.slice(0, 16)}` : ""}`,
      ),
    ],
    [
      "Programs",
      programs.flatMap(({ name, path }) => (path ? [`${name}: ${path}`] : [])),
    ],
    ["Storage", [describeStorage(storage)]],
    [
      "Quarantine",
      (quarantine?.items ?? []).map(
        ({ plugin, key, reason }) => `${plugin}, ${key}: ${reason}`,
      ),
    ],
    [
      `Audit log (${audit.state}, ${audit.entries} entries)`,
      audit.latest
        .slice(0, SHOWN_ENTRIES)
        .map(
          ({ at, by, action, details }) =>
            `${new Date(at).toLocaleString("sv")}  ${by}  ${action}  ${JSON.stringify(details)}`,
        ),
    ],
  ];
  return all.filter(([, lines]) => lines.length > 0);
}

function describeStorage({ kind, freeBytes }: DoctorReport["storage"]): string {
  const free =
    freeBytes === null ? "" : `, ${Math.round(freeBytes / 2 ** 20)} MiB free`;
  return `${kind}${free}`;
}

/** Names come from outside and may hold anything that a terminal would obey. */
const printable = (text: string) =>
  text.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
