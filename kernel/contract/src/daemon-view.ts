import type {
  DaemonFacts,
  DaemonPlugin,
  DaemonQuarantine,
} from "./daemon-facts.ts";
import type { Finding } from "./finding.ts";
import type { ProcessSubject } from "./process.ts";
import type { RouteDefinition } from "./route.ts";

/** A program that a plugin runs through the daemon. `@gantry/process-kit` measures it with all that it started, and ends it. */
export interface DaemonProgram {
  /** Number of the process that the plugin started, which leads the group of the program. */
  pid: number;
  /** The plugin that runs it. */
  plugin: string;
  /** Name of the program, without its arguments, which may hold secrets. */
  program: string;
  /** Folder that it was started in. */
  cwd: string;
  /** RFC 3339 UTC with milliseconds. With the number it names a program permanently, since the system reuses numbers. */
  startedAt: string;
  /** What the plugin runs it for; `null` if it did not say. */
  subject: ProcessSubject | null;
  /** Whether it runs programs of others, which can be ended without it; see `RunOptions.isHost`. */
  isHost: boolean;
  /**
   * Value of a variable in the environment of all that it starts: `GANTRY_PROCESS_TREE`, and `GANTRY_DETACHED_TREE` for a
   * host that outlives the daemon. `null` for any other program that outlives it.
   */
  mark: string | null;
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

/** A check that a plugin registered with `ctx.diagnose`. */
export interface DaemonCheck {
  /** Id of the plugin. */
  readonly plugin: string;
  /** Runs it as code of its plugin, without a limit of time. What it gives is not checked. */
  run(): Promise<readonly Finding[]>;
}

/** A registered operation, without the code that answers it. */
export interface DaemonOperation {
  /** As its owner declared it, and so is what follows. */
  readonly method: RouteDefinition["method"];
  /** With parameters in braces. */
  readonly path: string;
  /** A few words on what it does. */
  readonly summary: string;
  /** More on that, in Markdown. */
  readonly description?: string;
  /** Who may call. */
  readonly access: RouteDefinition["access"];
  /** Schema of the query. */
  readonly query?: RouteDefinition["query"];
  /** Schema of the JSON body, or `"bytes"`. */
  readonly body?: RouteDefinition["body"];
  /** What a body of bytes holds. */
  readonly bodyFormat?: RouteDefinition["bodyFormat"];
  /** Schema of the JSON answer, `"bytes"` or `"event-stream"`. */
  readonly returns: RouteDefinition["returns"];
  /** Codes of the owner's own errors. */
  readonly errors?: readonly string[];
  /** Id of the plugin that answers it, or `kernel`. */
  readonly plugin: string;
  /** Whether it belongs to the daemon itself: to the kernel, or to a system plugin. */
  readonly isSystem: boolean;
  /** Whether a browser may call it before it is paired. */
  readonly isPublic: boolean;
  /** Codes of all errors that it may answer, those of the daemon itself included, in alphabetical order. */
  readonly codes: readonly string[];
}

/**
 * Name of a channel of `node:diagnostics_channel`. On it the daemon publishes each piece of work of plugins that begins and is no
 * request, as `{ plugin }` with the plugin's id.
 */
export const WORK_BEGAN = "gantry.work-began";

/** What the daemon runs and says, for plugins that show it. */
export interface DaemonView {
  /** Process id of the daemon itself. */
  readonly pid: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly startedAt: string;
  /** All operations that are registered now: the same list until one is added or removed. */
  operations(): readonly DaemonOperation[];
  /** All plugins as they are now, also those that are not active. */
  plugins(): DaemonPlugin[];
  /** What plugins run now, the newest first, programs that they started to outlive the daemon included. */
  programs(): Promise<DaemonProgram[]>;
  /**
   * Lines of the log since the daemon started, the oldest first. The newest 2,000 of level info and
   * above are kept, within 1 MiB, and those of level debug too if they are logged.
   *
   * @param options With `after`, the lines behind that number, and `limit` takes the first of them; without it, the newest.
   */
  logLines(options?: { after?: number; limit?: number }): DaemonLogLine[];
  /** How the daemon and its home stand now. It reads the files of all plugins and the audit log. */
  facts(): Promise<DaemonFacts>;
  /** The checks that are registered now. */
  checks(): DaemonCheck[];
  /**
   * Records in quarantine. Only system plugins have it, `undefined` for all others: no plugin writes or deletes records of
   * another one.
   */
  readonly quarantine: DaemonQuarantine | undefined;
}
