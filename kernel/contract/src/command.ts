import type { KernelFacts } from "./kernel-facts.ts";
import type { WholeHome } from "./whole-home.ts";

/** An option of a command, such as `--only <name>`. */
export interface CommandOption {
  type: "string" | "boolean" | "positional";
  /** For `--help`. */
  description: string;
  required?: boolean;
  default?: string | boolean;
}

/** Input of a {@link PluginCommand}. */
export interface CommandInput {
  /** Values from the command line, by option name. */
  args: Readonly<Record<string, string | boolean | undefined>>;
  /** The running daemon of the home; `undefined` if none runs. */
  daemon:
    | {
        readonly url: string;
        /** Calls an operation of the daemon as its owner. Rejects with the message of the error if the daemon answers with one. */
        call(method: string, path: string, body?: object): Promise<unknown>;
      }
    | undefined;
  /**
   * Locks the home while `work` runs. Rejects if a daemon is running. If the store of the home cannot be opened, only
   * `readStore` rejects.
   */
  withStoppedHome<Result>(
    work: (
      home: WholeHome,
      options: { signal: AbortSignal },
    ) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Facts about the daemon of the home. If none is running, or it does not answer within 5 s, they are read from the files
   * of the home, without changing them and without running code of plugins.
   */
  readonly facts: KernelFacts;
  /** Folder of this plugin's files, whether or not a daemon is running. */
  readonly folder: string;
  /** The plugin's settings from the configuration, not validated. */
  readonly config: unknown;
  /** Prompts for a secret without echoing it. Resolves with `undefined` if there is no terminal. */
  askSecret(question: string): Promise<string | undefined>;
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Aborts when the user interrupts the command. */
  readonly signal: AbortSignal;
}

/** One command of a plugin, such as `gantry backup list`. */
export interface PluginCommand {
  /** What it does, for `--help`. */
  description: string;
  options?: Readonly<Record<string, CommandOption>>;
  /**
   * Runs it and resolves with the exit code, 0 unless given. If it rejects, the message is printed in one line and the exit
   * code is 1.
   */
  run(input: CommandInput): Promise<number | void>;
}

/**
 * The commands of a plugin: the default export of the file that its manifest names as `commands`. They are called
 * `gantry <name> <command>`, with the daemon running or not. A plugin with a single command may call it `gantry <name>`:
 * then it gives `command` instead of `commands`.
 */
export type PluginCommands = {
  /** Kebab-case; must not be a built-in command of `gantry`. */
  name: string;
  description: string;
} & (
  | { commands: Readonly<Record<string, PluginCommand>>; command?: undefined }
  | { command: PluginCommand; commands?: undefined }
);

/**
 * Declares the commands of a plugin. Has no side effects.
 *
 * @example
 * export default definePluginCommands({
 *   name: "notes", description: "Short notes",
 *   commands: { list: { description: "List all notes", run: async ({ daemon, print }) => { … } } },
 * });
 */
export function definePluginCommands(commands: PluginCommands): PluginCommands {
  return commands;
}
