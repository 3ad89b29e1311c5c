import { expect, test } from "vitest";
import type { Circumstances } from "../src/findings/finding.ts";
import { findFaults } from "../src/findings/find-faults.ts";
import type { Seen } from "../src/report.ts";

const at = "2026-03-02T12:00:00.000Z";
const before = (days: number) =>
  new Date(Date.parse(at) - days * 24 * 60 * 60 * 1000).toISOString();

/** A daemon with which all is well. */
const well: Seen = {
  at,
  version: "1.0.0",
  node: "v24.0.0",
  platform: "linux x64",
  home: "/home/ada/.gantry",
  daemon: { pid: 1, url: "http://gantry.localhost:7420", startedAt: at },
  listening: [{ address: "127.0.0.1", port: 7420, reach: "this machine" }],
  tls: "none",
  certificateEndsAt: null,
  names: [{ name: "gantry.localhost:7420", role: "ui" }],
  mode: "all",
  devices: [],
  exposed: [],
  plugins: [],
  programs: [
    { name: "git", path: "/usr/bin/git" },
    { name: "pi", path: "/usr/bin/pi" },
  ],
  storage: { kind: "sqlite", freeBytes: 1e12, problem: null, tooNew: 0 },
  quarantine: { count: 0, items: [] },
  audit: { state: "intact", entries: 3, problem: null, latest: [] },
  stalls: [],
};

const device = {
  id: "ses_1",
  device: "Old phone",
  address: "127.0.0.1",
  createdAt: before(90),
  lastSeenAt: before(20),
  online: false,
};
const plugin = {
  id: "notes",
  package: null,
  version: "1.0.0",
  origin: "installed" as const,
  state: "failed",
  faults: 0,
  reason: "it threw",
  digest: null,
};
const wide = {
  address: "0.0.0.0",
  port: 7420,
  reach: "the network" as const,
};

test("with a daemon that is well nothing is found", () => {
  expect(findFaults(well)).toEqual([]);
});

const cases: [string, Partial<Seen>, Circumstances, string, string][] = [
  [
    "listens on the network in plain",
    { listening: [wide] },
    {},
    "high",
    "NETWORK_PLAIN",
  ],
  [
    "listens on the network",
    { listening: [wide], tls: "configured" },
    {},
    "medium",
    "NETWORK_WIDE",
  ],
  [
    "has a certificate that has ended",
    { certificateEndsAt: before(1) },
    {},
    "high",
    "CERTIFICATE_ENDED",
  ],
  [
    "has a certificate that ends soon",
    { certificateEndsAt: before(-5) },
    {},
    "medium",
    "CERTIFICATE_ENDS",
  ],
  ["lets this machine in", { mode: "loopback" }, {}, "medium", "MODE_LOOPBACK"],
  [
    "has a device that is not used",
    { devices: [device] },
    {},
    "low",
    "DEVICES_UNUSED",
  ],
  [
    "has a home that is open",
    { exposed: [{ path: well.home, mode: "0755", problem: "open" }] },
    {},
    "high",
    "HOME_OPEN",
  ],
  [
    "has an open file in a closed home",
    { exposed: [{ path: "/x/token", mode: "0644", problem: "open" }] },
    {},
    "low",
    "HOME_OPEN",
  ],
  [
    "has another's file",
    { exposed: [{ path: "/x/token", mode: "0600", problem: "foreign" }] },
    {},
    "high",
    "HOME_FOREIGN",
  ],
  [
    "has a link",
    { exposed: [{ path: "/x/token", mode: "0777", problem: "link" }] },
    {},
    "high",
    "HOME_LINK",
  ],
  [
    "stands in an open folder",
    { exposed: [{ path: "/x", mode: "0777", problem: "above" }] },
    {},
    "medium",
    "HOME_ABOVE_OPEN",
  ],
  [
    "has a damaged store",
    { storage: { ...well.storage, problem: "it is damaged" } },
    {},
    "high",
    "STORE_DAMAGED",
  ],
  [
    "has a full disk",
    { storage: { ...well.storage, freeBytes: 0 } },
    {},
    "high",
    "DISK_FULL",
  ],
  [
    "has little room",
    { storage: { ...well.storage, freeBytes: 1e8 } },
    {},
    "medium",
    "DISK_LOW",
  ],
  [
    "has records in quarantine",
    { quarantine: { count: 2, items: [] } },
    {},
    "medium",
    "RECORDS_QUARANTINED",
  ],
  [
    "has a changed audit log",
    {
      audit: {
        ...well.audit,
        state: "broken",
        problem: "audit-000001.jsonl, line 3: it was changed",
      },
    },
    {},
    "high",
    "AUDIT_BROKEN",
  ],
  [
    "cannot write the audit log",
    { audit: { ...well.audit, problem: "It cannot be written: ENOSPC" } },
    {},
    "high",
    "AUDIT_UNWRITABLE",
  ],
  [
    "has a plugin that failed",
    { plugins: [plugin] },
    {},
    "high",
    "PLUGIN_FAILED",
  ],
  [
    "has a plugin that waits",
    { plugins: [{ ...plugin, state: "waiting" }] },
    {},
    "low",
    "PLUGIN_WAITING",
  ],
  [
    "has a plugin with errors that it did not catch",
    { plugins: [{ ...plugin, state: "active", faults: 3 }] },
    {},
    "low",
    "PLUGIN_FAULTS",
  ],
  [
    "stood still",
    { stalls: [{ at, ms: 1500, cpuMs: 1400, after: "notes" }] },
    {},
    "low",
    "EVENT_LOOP_STALLED",
  ],
  ["does not run", { daemon: null }, {}, "low", "DAEMON_STOPPED"],
  [
    "does not answer",
    { daemon: null },
    { isSilent: true },
    "high",
    "DAEMON_SILENT",
  ],
  [
    "could not start",
    {},
    { configFault: "It is not JSON." },
    "high",
    "CONFIG_INVALID",
  ],
  [
    "does not check certificates",
    {},
    { environment: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } },
    "high",
    "TLS_UNCHECKED",
  ],
  ["runs as root", {}, { isRoot: true }, "medium", "RUNS_AS_ROOT"],
  [
    "has no git",
    { programs: [{ name: "git", path: null }] },
    {},
    "low",
    "GIT_MISSING",
  ],
  [
    "has no agent",
    { programs: [{ name: "pi", path: null }] },
    {},
    "low",
    "NO_AGENT",
  ],
];

test.each(cases)(
  "a daemon that %s is told so, with the way out",
  (_, facts, circumstances, severity, code) => {
    const findings = findFaults({ ...well, ...facts }, circumstances);
    expect(findings).toMatchObject([{ severity, code }]);
    const [{ what, fix }] = findings as [(typeof findings)[number]];
    // A sentence each, that can stand alone.
    expect(what).toMatch(/^\S.*[.]$/s);
    expect(fix).toMatch(/^[A-Z].*\S$/s);
  },
);

test("the worst comes first", () => {
  const findings = findFaults({
    ...well,
    daemon: null,
    plugins: [plugin],
    mode: "loopback",
  });
  expect(findings.map(({ severity }) => severity)).toEqual([
    "high",
    "medium",
    "low",
  ]);
});

test("a fix that is a command is safe to paste", () => {
  const path = "/home/a'; rm -rf ~ #/token";
  const [finding] = findFaults({
    ...well,
    exposed: [{ path, mode: "0644", problem: "open" }],
  });
  expect(finding!.fix).toBe(
    `Close it: chmod go-rwx '/home/a'\\''; rm -rf ~ #/token'`,
  );
});
