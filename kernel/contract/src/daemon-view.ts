import type { ProcessSubject } from "./process.ts";

/** A program that a plugin runs through the daemon, including its descendants. */
export interface DaemonProcess {
  pid: number;
  /** The plugin that runs it. */
  plugin: string;
  /** Name of the program, without its arguments, which may hold secrets. */
  program: string;
  /** Its working directory at the start. */
  cwd: string;
  /** RFC 3339 UTC with milliseconds. */
  startedAt: string;
  /** Purpose of the program; `null` if the plugin did not specify one. */
  subject: ProcessSubject | null;
  /** Process ids of the program and its descendants. */
  pids: number[];
  /** Total processor time in ms; `null` if the system does not report it. */
  cpuMs: number | null;
  /** Total memory in bytes; `null` if the system does not report it. */
  memoryBytes: number | null;
}

/** A line of the daemon's log, with secrets redacted. */
export interface DaemonLogLine {
  /** Sequence number, higher than that of any earlier line, also across restarts. */
  number: number;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  level: "debug" | "info" | "warn" | "error";
  /** The plugin that wrote it, or `kernel`. */
  owner: string;
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** A plugin of the daemon, with its state. */
export interface DaemonPlugin {
  id: string;
  version: string;
  /** Life cycle state; `active` once its setup has finished. */
  state: "disabled" | "waiting" | "starting" | "active" | "stopping" | "failed";
  /** Why the plugin is not active; `null` if it is. */
  reason: string | null;
}

/** The built pages of a plugin that is active. */
export interface DaemonPluginUi {
  /** Id of the plugin. */
  plugin: string;
  /** Absolute path of the folder with the built files, such as `candidates.json`, the class names that its pages use. */
  folder: string;
  /** Its CSS, if that is not served as a file of its own but with the utilities of all plugins; else `undefined`. */
  sharedStyle: string | undefined;
}

/** Processes, plugins and log of the daemon, for plugins that display them. */
export interface DaemonView {
  readonly pid: number;
  /** Another one after each start of the daemon. */
  readonly bootId: string;
  /** RFC 3339 UTC with milliseconds. */
  readonly startedAt: string;
  /** The daemon's own process; its `plugin` is `kernel`. */
  self(): Promise<DaemonProcess>;
  /** Current state of all plugins, including those that are not active. */
  plugins(): DaemonPlugin[];
  /** Returns the pages of the active plugins. */
  pluginUis(): Promise<DaemonPluginUi[]>;
  /** Programs that plugins are running, newest first. */
  processes(): Promise<DaemonProcess[]>;
  /**
   * Ends a program and its descendants: sends TERM, and KILL to those that are left after 5 s. Resolves when they have ended,
   * with `false` if no plugin runs a program with this id and start time.
   */
  endProcess(process: { pid: number; startedAt: string }): Promise<boolean>;
  /**
   * Lines of the log since the daemon started, oldest first. The newest 2,000 lines are kept, up to 1 MiB; lines of level
   * debug are included only if they are logged.
   *
   * @param options With `after`, the first `limit` lines after that number; without it, the newest `limit` lines.
   */
  logLines(options?: { after?: number; limit?: number }): DaemonLogLine[];
}
