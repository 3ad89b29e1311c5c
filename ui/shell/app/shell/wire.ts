/** A session as `GET /api/auth/sessions` lists it. */
export interface SessionInfo {
  id: string;
  kind: "browser" | "token";
  device: string;
  address: string;
  /** `null` for what is no stored session: the install token, a browser that needs no code. */
  createdAt: string | null;
  lastSeenAt: string | null;
  expiresAt: string | null;
  current: boolean;
  online: boolean;
}

/** Who has to pair: all browsers, or none on this machine. */
export type AuthMode = "all" | "loopback";

/** Answer of `GET /api/auth/session`. */
export interface SessionAnswer {
  mode: AuthMode;
  kind: "browser" | "token";
  session: SessionInfo;
}

/** Answer of `POST /api/auth/pairings`. */
export interface PairingAnswer {
  id: string;
  code: string;
  url: string;
  qrSvg: string;
  expiresAt: string;
}

/** The states of a plugin. */
export type PluginState =
  "disabled" | "waiting" | "starting" | "active" | "stopping" | "failed";

/** A plugin as `GET /api/plugins` lists it. */
export interface PluginInfo {
  id: string;
  summary: string;
  version: string;
  state: PluginState;
  /** Why it is not active. */
  reason: string | null;
  /** Errors that its code did not catch since the daemon started. */
  faults: number;
  /** `builtin` came with Gantry, `home` was added by the user. */
  origin: "builtin" | "home";
  ui: { entry: string; css: string | null } | null;
}

/** Answer of `GET /api/system`. */
export interface SystemInfo {
  name: string;
  version: string;
  node: string;
  platform: string;
  home: string;
  startedAt: string;
  url: string;
  canonicalHost: string;
  /** IANA name of the daemon's time zone. */
  timeZone: string;
}

/** One thing that is not as it should be. */
export interface Finding {
  severity: "high" | "medium" | "low";
  code: string;
  what: string;
  /** What to do about it. */
  fix: string;
}

/** A line of the audit log. */
export interface AuditEntry {
  seq: number;
  at: string;
  /** `kernel`, or the plugin that wrote it. */
  by: string;
  action: string;
  details: Readonly<Record<string, string | number | boolean | null>>;
  /** So often it happened again within a minute. */
  again: number | null;
}

/** A record that could not be read, of which a copy is kept. */
export interface QuarantinedRecord {
  id: string;
  plugin: string;
  key: string;
  reason: string;
  /** `null` for one that was set aside by an early version. */
  at: string | null;
}

/** Answer of `GET /api/doctor`, as far as it is shown. */
export interface DoctorReport {
  at: string;
  version: string;
  daemon: { pid: number; url: string; startedAt: string } | null;
  listening: {
    address: string;
    port: number;
    reach: "this machine" | "the network";
  }[];
  tls: "none" | "self-signed" | "configured";
  certificateEndsAt: string | null;
  names: { name: string; role: "ui" | "hook" }[];
  mode: AuthMode | null;
  devices:
    | {
        id: string;
        device: string;
        address: string;
        createdAt: string;
        lastSeenAt: string;
        online: boolean;
      }[]
    | null;
  exposed: { path: string; mode: string; problem: string }[];
  plugins: {
    id: string;
    package: string | null;
    version: string;
    origin: "bundled" | "installed";
    state: string;
    reason: string | null;
    faults: number;
    /** SHA-256 over the files that run. */
    digest: string | null;
  }[];
  storage: {
    kind: string;
    freeBytes: number | null;
    problem: string | null;
    tooNew: number | null;
  };
  quarantine: { count: number; items: QuarantinedRecord[] } | null;
  audit: {
    state: "intact" | "broken" | "empty";
    entries: number;
    problem: string | null;
    latest: AuditEntry[];
  };
  stalls: { at: string; ms: number; cpuMs: number; after: string }[];
  findings: Finding[];
}
