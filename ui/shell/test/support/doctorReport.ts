import type { DoctorReport } from "../../app/shell/wire.ts";

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const MINUTE = 60_000;

/** How a daemon says that it stands: well, unless told otherwise. */
export function doctorReport(more: Partial<DoctorReport> = {}): DoctorReport {
  return {
    at: ago(0),
    version: "0.1.0",
    daemon: {
      pid: 1,
      url: "http://gantry.localhost:7420",
      startedAt: ago(120 * MINUTE),
    },
    listening: [
      { address: "127.0.0.1", port: 7420, reach: "this machine" },
      { address: "::1", port: 7420, reach: "this machine" },
    ],
    tls: "none",
    certificateEndsAt: null,
    names: [
      { name: "gantry.localhost:7420", role: "ui" },
      { name: "localhost:7420", role: "ui" },
      { name: "127.0.0.1:7420", role: "ui" },
      { name: "[::1]:7420", role: "ui" },
      { name: "hooks.example.org", role: "hook" },
    ],
    mode: "all",
    devices: [
      {
        id: "ses_1",
        device: "Chrome on Linux",
        address: "127.0.0.1",
        createdAt: ago(9e8),
        lastSeenAt: ago(0),
        online: true,
      },
      {
        id: "ses_2",
        device: "Safari on iPhone",
        address: "192.168.1.7",
        createdAt: ago(9e8),
        lastSeenAt: ago(9e7),
        online: false,
      },
    ],
    exposed: [],
    plugins: [
      {
        id: "agents",
        package: "@gantry/plugin-agents",
        version: "0.1.0",
        origin: "bundled",
        state: "active",
        reason: null,
        faults: 0,
        digest: "4f".repeat(32),
      },
      {
        id: "notes",
        package: "gantry-plugin-notes",
        version: "1.2.0",
        origin: "installed",
        state: "active",
        reason: null,
        faults: 0,
        digest: "a7".repeat(32),
      },
    ],
    storage: { kind: "sqlite", freeBytes: 8e10, problem: null, tooNew: 0 },
    quarantine: { count: 0, items: [] },
    audit: {
      state: "intact",
      entries: 128,
      problem: null,
      latest: [
        {
          seq: 128,
          at: ago(2 * MINUTE),
          by: "kernel",
          action: "session.made",
          details: {
            session: "ses_2",
            device: "Safari on iPhone",
            address: "192.168.1.7",
          },
          again: null,
        },
        {
          seq: 127,
          at: ago(3 * MINUTE),
          by: "kernel",
          action: "origin.refused",
          details: {
            address: "127.0.0.1",
            method: "POST",
            path: "/api/agents",
            origin: "http://localhost:5173",
          },
          again: 29,
        },
        {
          seq: 126,
          at: ago(30 * MINUTE),
          by: "kernel",
          action: "plugin.loaded",
          details: { plugin: "notes", origin: "home", state: "active" },
          again: null,
        },
        {
          seq: 125,
          at: ago(31 * MINUTE),
          by: "automations",
          action: "automations.secret-made",
          details: { automation: "aut_k3v5yfjx2abcdefghijklmno" },
          again: null,
        },
        {
          seq: 124,
          at: ago(32 * MINUTE),
          by: "notes",
          action: "notes.burnt",
          details: { why: "<script>alert(1)</script>" },
          again: null,
        },
      ],
    },
    stalls: [],
    findings: [],
    ...more,
  };
}

export const finding = {
  root: {
    severity: "medium",
    code: "RUNS_AS_ROOT",
    what: "It runs as root, and so does every agent.",
    fix: "Run it as a user of its own.",
  },
  mode: {
    severity: "medium",
    code: "MODE_LOOPBACK",
    what: "Every program and every user of this machine gets in without pairing.",
    fix: "Choose that all browsers pair, in the settings under Devices.",
  },
  plain: {
    severity: "high",
    code: "NETWORK_PLAIN",
    what: "It listens on the network without encryption, so anyone on the way can read and replay a session.",
    fix: "Start it with --https, or without --host and --insecure.",
  },
  agent: {
    severity: "low",
    code: "NO_AGENT",
    what: "No program of a coding agent is on PATH, only the practice agent.",
    fix: "Install one: pi, claude, codex.",
  },
} as const;
