import type { DaemonPlugin } from "./daemon-view.ts";
import type { Finding } from "./finding.ts";
import type { QuarantinedRecord } from "./kernel-quarantine.ts";
import { defineService } from "./service.ts";

/** A value of a field in an entry of the audit log. */
export type AuditValue = string | number | boolean | null;

/** An entry of the audit log. */
export interface AuditEntryFacts {
  /** Grows by one with each entry. */
  seq: number;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** The plugin that wrote it, or `kernel`. */
  by: string;
  /** `area.past-tense`, such as `session.made`. */
  action: string;
  details: Record<string, AuditValue>;
  /** How many more times it happened within the same minute; `null` if it happened once. */
  again: number | null;
}

/** A paired device. */
export interface DeviceFacts {
  /** Id of its session. */
  id: string;
  /** The name that its user gave it. */
  device: string;
  /** Address that it paired from. */
  address: string;
  /** RFC 3339 UTC. */
  createdAt: string;
  /** RFC 3339 UTC. */
  lastSeenAt: string;
  /** Whether it has a stream or socket open now. */
  online: boolean;
}

/** Programs of the machine that a plugin names in `uses` of its manifest. */
export interface UsedProgramsFacts {
  /** Their names on PATH: all of them are used, or one of several that do the same. */
  programs: string[];
  /** The finding when none of them is installed; `null` if that is fine. */
  missing: { code: string; what: string } | null;
}

/** A plugin, whether it runs or not. */
export interface PluginFacts {
  /** Its id; the name of its folder if its code was not loaded. */
  id: string;
  /** Name of its npm package; `null` if it has none or it cannot be read. */
  package: string | null;
  version: string;
  /** Delivered with the daemon, or added to this home. */
  origin: "bundled" | "installed";
  /** `stopped` while no daemon runs. */
  state: DaemonPlugin["state"] | "stopped";
  /** Why it is not active; `null` if it is, or if no daemon runs. */
  reason: string | null;
  /** SHA-256 of the files that run, in hexadecimal; `null` if they cannot be read. */
  digest: string | null;
  uses: UsedProgramsFacts[];
}

/** A period of about a second or more during which the event loop was blocked. */
export interface StallFacts {
  /** When it ended. RFC 3339 UTC. */
  at: string;
  ms: number;
  /** Processor time that the daemon used meanwhile; if it is low, the machine was busy. */
  cpuMs: number;
  /** Requests and plugins whose code started shortly before. */
  after: string;
}

/**
 * The state of a daemon and of its home at one moment, without secrets. While no daemon runs, it is read from the files of
 * the home, and a field that only a daemon knows is `null`.
 */
export interface DaemonFacts {
  /** When this was read. RFC 3339 UTC with milliseconds. */
  at: string;
  /** Version of Gantry. */
  version: string;
  /** Version of Node, such as `v24.1.0`. */
  node: string;
  /** Operating system and processor, such as `linux x64`. */
  platform: string;
  /** Folder of the home. */
  home: string;
  /** Files and folders of the home that only its user may read or write. Not all of them have to exist. */
  privatePaths: string[];
  /** The running daemon; `null` if none runs, or if it does not answer. */
  daemon: {
    pid: number;
    /** Address of the pages. */
    url: string;
    /** RFC 3339 UTC with milliseconds. */
    startedAt: string;
    /** Resident memory of its process. */
    memoryBytes: number;
  } | null;
  /** Whether a daemon holds the home and does not answer. */
  isSilent: boolean;
  /** Why no daemon can start with this configuration, in one sentence; `null` if one can. */
  configProblem: string | null;
  /** Whether the process runs as root. */
  isRoot: boolean;
  /** Whether the certificates of HTTPS servers are checked, which `NODE_TLS_REJECT_UNAUTHORIZED=0` turns off. */
  checksCertificates: boolean;
  /** Addresses that it listens on, or would listen on. */
  listening: {
    address: string;
    port: number;
    /** Where it can be reached from. */
    reach: "this machine" | "the network";
  }[];
  /** Where its certificate comes from; `none` is plain HTTP. */
  tls: "none" | "self-signed" | "configured";
  /** RFC 3339 UTC; `null` without a certificate, and while no daemon runs. */
  certificateEndsAt: string | null;
  /** Host names that it answers to; those of role `hook` serve webhooks and nothing else. */
  names: { name: string; role: "ui" | "hook" }[];
  /** Who has to pair: `all`, or with `loopback` only clients on other machines. */
  mode: "all" | "loopback" | null;
  devices: DeviceFacts[] | null;
  plugins: PluginFacts[];
  /** Programs that the kernel or a plugin uses, with their absolute path; `null` for one that is not on PATH. */
  programs: { name: string; path: string | null }[];
  storage: {
    /** `sqlite`, or the name of another driver. */
    kind: string;
    /** Free space on the disk of the home; `null` if there is no such folder. */
    freeBytes: number | null;
    /** Why the store cannot be read; `null` if it can. */
    problem: string | null;
    /** How many records of a later version were met since the start, and left unchanged. */
    tooNew: number | null;
  };
  /** Records that could not be read: their number, and the newest 50. */
  quarantine: { count: number; items: QuarantinedRecord[] } | null;
  audit: {
    /** Whether each entry is the one that was written; `empty` if there is none. */
    state: "intact" | "broken" | "empty";
    entries: number;
    /** The first place that was changed, or why nothing can be written. */
    problem: string | null;
    /** The newest 100, the newest first. */
    latest: AuditEntryFacts[];
  };
  /** The latest, the newest first. */
  stalls: StallFacts[];
}

/**
 * Facts that only the kernel knows, read-only, for plugins that show or check how the daemon is. Commands of plugins get
 * the same in `CommandInput.facts`.
 */
export interface KernelFacts {
  /** Reads all facts. It verifies the whole audit log and digests the files of all plugins, so do not call it in a loop. */
  read(): Promise<DaemonFacts>;
  /**
   * Runs the checks that plugins registered with `ctx.diagnose`, all at once, and returns what they find. One that fails or
   * takes over 1 s becomes the finding `PLUGIN_CHECK_FAILED`. Empty while no daemon runs.
   * In a command it rejects if the daemon does not answer within 5 s.
   */
  findings(): Promise<Finding[]>;
}

/** The kernel provides it, so it is always available to `needs` and `wants`. */
export const KernelFacts = defineService<KernelFacts>("kernel.facts@1");
