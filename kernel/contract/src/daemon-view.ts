import type { ProcessSubject } from "./process.ts";

/** A process of this machine. Both members together name it permanently, since the system reuses numbers. */
export interface ProcessIdentity {
  /** Its number while it runs, which another process may have later. */
  pid: number;
  /** In the system's own words; empty where the system does not say. */
  startTime: string;
}

/** A process of a program that a plugin runs. */
export interface ProcessMember extends ProcessIdentity {
  /** Its process group, which is that of a job if a shell with job control runs it. */
  group: number;
  /** `null` where the system does not say. */
  session: number | null;
  /** Name of the program, as the system keeps it; `null` where the system does not say. */
  name: string | null;
  /** Time that it has used the processor, in ms. */
  cpuMs: number;
  /** Its resident memory, in bytes. */
  memoryBytes: number;
}

/** A program that a plugin runs through the daemon, with all that it started. */
export interface DaemonProcess {
  /** Number of the process that the plugin started, which leads the group of the program. */
  pid: number;
  /** The plugin that runs it. */
  plugin: string;
  /** Name of the program, without its arguments, which may hold secrets. */
  program: string;
  /** Folder that it was started in. */
  cwd: string;
  /** RFC 3339 UTC with milliseconds. */
  startedAt: string;
  /** What the plugin runs it for; `null` if it did not say. */
  subject: ProcessSubject | null;
  /** Whether it runs programs of others, which can be ended without it; see `RunOptions.isHost`. */
  isHost: boolean;
  /** Its own process and those that it started; empty where the system does not say. */
  members: ProcessMember[];
  /** Time that all of them have used the processor; `null` where the system does not say. */
  cpuMs: number | null;
  /** Memory that all of them hold; `null` where the system does not say. */
  memoryBytes: number | null;
}

/** A line of the daemon's log, with secrets taken out. */
export interface DaemonLogLine {
  /** Grows by one with each line, and is higher than any of a daemon before this one. */
  number: number;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** Severity, from the least to the most. */
  level: "debug" | "info" | "warn" | "error";
  /** The plugin that wrote it, or `kernel`. */
  owner: string;
  /** One line of text, cut at 256 characters. */
  message: string;
  /** Details by name. Texts are cut at 256 characters, the `cause` with its stack at 8,192. */
  fields: Readonly<Record<string, unknown>>;
}

/** A plugin that the daemon has found, whether it runs or not. */
export interface DaemonPlugin {
  /** Kebab-case, as in its definition. */
  id: string;
  /** From its `package.json`. */
  version: string;
  /** `active` while it works. */
  state: "disabled" | "waiting" | "starting" | "active" | "stopping" | "failed";
  /** Why it is not active; `null` if it is. */
  reason: string | null;
}

/** What the daemon runs and says, for plugins that show it. */
export interface DaemonView {
  /** Process id of the daemon itself. */
  readonly pid: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly startedAt: string;
  /** The daemon itself, as one of its processes: `plugin` is `kernel`. */
  self(): Promise<DaemonProcess>;
  /** All plugins as they are now, also those that are not active. */
  plugins(): DaemonPlugin[];
  /** What plugins run now, the newest first. */
  processes(): Promise<DaemonProcess[]>;
  /**
   * Ends a program with all that it started: TERM, and KILL to what is left after 5 s. Resolves when it is gone, with `false`
   * if no plugin runs it or it began at another time.
   *
   * With `member`, ends only that process of the program with what it started, and the rest of its job if a shell with
   * job control runs it. What runs it continues: the shell, and the program if that is a host. `false` if it has ended.
   */
  endProcess(process: {
    pid: number;
    startedAt: string;
    member?: ProcessIdentity;
  }): Promise<boolean>;
  /**
   * Lines of the log since the daemon started, the oldest first. The newest 2,000 of level info and
   * above are kept, within 1 MiB, and those of level debug too if they are logged.
   *
   * @param options With `after`, the lines behind that number, and `limit` takes the first of them; without it, the newest.
   */
  logLines(options?: { after?: number; limit?: number }): DaemonLogLine[];
}
