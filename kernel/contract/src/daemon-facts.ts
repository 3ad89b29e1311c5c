import { defineErrors } from "./errors.ts";

/** A browser that is paired with the daemon. */
export interface PairedDevice {
  /** Of its session. */
  id: string;
  /** What its user calls it. */
  device: string;
  /** It was paired from there. */
  address: string;
  /** RFC 3339 UTC with milliseconds. */
  createdAt: string;
  /** The same, exact to a minute. */
  lastSeenAt: string;
  /** Whether it has something open. */
  online: boolean;
}

/** A plugin that the daemon has found, whether it runs or not. */
export interface DaemonPlugin {
  /** Kebab-case, as in its definition. */
  id: string;
  /** What it does, in one line. */
  summary: string;
  /** From its `package.json`. */
  version: string;
  /** `builtin` if it is delivered with the daemon, `home` if the user added it. */
  origin: "builtin" | "home";
  /** `active` while it works. */
  state: "disabled" | "waiting" | "starting" | "active" | "stopping" | "failed";
  /** Why it is not active; `null` if it is. */
  reason: string | null;
  /** Errors that its code did not catch since the daemon started. */
  faults: number;
  /** Absolute path of the entry of its pages; `null` if it has none. */
  ui: string | null;
}

/** A plugin as its package and the daemon describe it. */
export interface PluginFacts extends Pick<
  DaemonPlugin,
  "id" | "version" | "origin" | "reason" | "faults"
> {
  /** Name of its package; `null` if there is none that can be read. */
  package: string | null;
  /** `stopped` where no daemon runs. */
  state: DaemonPlugin["state"] | "stopped";
  /** SHA-256 over the files that run, in hexadecimal; `null` where they cannot be read. */
  digest: string | null;
}

/** A copy of a record that could not be read, without what is in it. */
export interface QuarantinedRecord {
  /** Begins with `qua_`. */
  readonly id: string;
  /** Full key of the record. */
  readonly key: string;
  /** Id of the plugin that it belongs to. */
  readonly owner: string;
  /** Why it could not be read. */
  readonly reason: string;
  /** RFC 3339; `null` for one that was set aside before times were kept. */
  readonly at: string | null;
}

/** A line of the audit log. */
export interface AuditFacts {
  /** Number of the line since the log began. */
  seq: number;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** `kernel`, or the id of the plugin that wrote it. */
  by: string;
  /** `area.past-tense`, such as `session.revoked`. */
  action: string;
  /** Short values, without secrets. */
  details: Readonly<
    Record<string, string | number | boolean | null | undefined>
  >;
  /** So often it happened again within a minute. */
  again?: number;
}

/**
 * How a daemon and its home stand: as the daemon knows it, or, where none runs, as far as it can be seen from outside. What only
 * a running daemon knows is then `null`.
 */
export interface DaemonFacts {
  /** When it was looked at; RFC 3339 UTC with milliseconds. */
  at: string;
  /** Of Gantry. */
  version: string;
  /** Absolute path of the home. */
  home: string;
  /** Files and folders that only the user of the home may open, there or not; the home is the first. */
  secretPaths: readonly string[];
  /** The daemon that runs; `null` if none does. */
  daemon: { pid: number; url: string; startedAt: string } | null;
  /** What is wrong with the configuration, so that no daemon starts; `null` if nothing is. */
  configFault: string | null;
  /** Where it listens, or would. */
  listening: { address: string; port: number }[];
  /** `none` is plain HTTP. */
  tls: "none" | "self-signed" | "configured";
  /** RFC 3339; `null` where no certificate is in use. */
  certificateEndsAt: string | null;
  /** Names that requests may come under; those of role `hook` serve webhooks and nothing else. */
  names: { name: string; role: "ui" | "hook" }[];
  /** Who must pair: everyone, or everyone but this machine itself. */
  mode: "all" | "loopback" | null;
  /** Paired browsers. */
  devices: PairedDevice[] | null;
  /** All plugins but those that are a part of the daemon itself. */
  plugins: PluginFacts[];
  /** Where records are kept. */
  storage: {
    /** Name of the driver; `elsewhere` if it is not in the home and no daemon runs. */
    kind: string;
    /** What is wrong with it; `null` if nothing is known to be. */
    problem: string | null;
    /** Records of a later version that were met since the start, and left alone. */
    tooNew: number | null;
  };
  /** Records that could not be read, the newest first. */
  quarantine: QuarantinedRecord[] | null;
  /** The audit log. */
  audit: {
    /** `broken` if something else than a daemon has changed it. */
    state: "intact" | "broken" | "empty";
    /** How many lines it has; 0 if it is broken. */
    entries: number;
    /** The first place that is wrong, or why nothing can be written; `null` if all is well. */
    problem: string | null;
    /** At most 100, the newest first. */
    latest: AuditFacts[];
  };
}

/** What {@link DaemonQuarantine} refuses. They are rows of the kernel's table, so a plugin need not list them in its own. */
export const quarantineErrors = defineErrors({
  QUARANTINE_NOT_FOUND: {
    status: 404,
    title: "Not in quarantine",
    detail:
      "There is no record {id} in quarantine; GET /api/doctor/quarantine lists those that are.",
  },
  QUARANTINE_NOT_RESTORED: {
    status: 409,
    title: "Not restored",
    detail: "The record stays in quarantine: {reason}.",
  },
});

/** Copies of records that could not be read, of all plugins. */
export interface DaemonQuarantine {
  /** All of them, the newest first. */
  list(): QuarantinedRecord[];
  /**
   * Puts a copy back where it was, and says so in the audit log.
   *
   * @param by Session of the caller, for the audit log.
   * @throws `QUARANTINE_NOT_FOUND` (404); `QUARANTINE_NOT_RESTORED` (409) if it still does not fit or something was written in
   *   its place
   */
  restore(id: string, by: string): Promise<void>;
  /**
   * Deletes a copy permanently, with the original if that is still the same, and says so in the audit log.
   *
   * @param by Session of the caller, for the audit log.
   * @throws `QUARANTINE_NOT_FOUND` (404)
   */
  delete(id: string, by: string): Promise<void>;
}
