import type { DaemonFacts } from "./daemon-facts.ts";
import type { WholeHome } from "./whole-home.ts";

/** An option of a command, such as `--only <name>`. */
export interface CommandOption {
  /** `string` is typed as `--name value`, `boolean` as `--name`, `positional` without a name. */
  type: "string" | "boolean" | "positional";
  /** For `--help`. */
  description: string;
  /** Whether the command is refused without it: `true` for a positional, `false` for others unless said. */
  required?: boolean;
  /** Taken if it is not typed; none unless given. */
  default?: string | boolean;
}

/** What a command is run with. */
export interface CommandInput {
  /** What was typed, by the names of the options. */
  args: Readonly<Record<string, string | boolean | undefined>>;
  /** The running daemon of the home; `undefined` if none runs. */
  daemon:
    | {
        readonly url: string;
        /**
         * Calls an operation of the daemon as its owner. Rejects with its own words if it refuses, and when `signal` or the
         * command's own aborts.
         */
        call(
          method: string,
          path: string,
          body?: object,
          options?: { signal?: AbortSignal },
        ): Promise<unknown>;
      }
    | undefined;
  /**
   * Takes the home while no daemon runs, for the time of `work`. Rejects if a daemon holds it. A home whose store cannot be
   * opened is given without its store: then `readStore` rejects, all else works.
   */
  withStoppedHome<Result>(
    work: (
      home: WholeHome,
      options: { signal: AbortSignal },
    ) => Promise<Result>,
  ): Promise<Result>;
  /** What can be seen of the home from outside, whether a daemon runs or not, as of one that does not run. Changes nothing. */
  facts(): Promise<DaemonFacts>;
  /** Absolute path of a program, as `ctx.run.find` finds it where the daemon runs; `undefined` if there is none. */
  find(name: string): Promise<string | undefined>;
  /** Files of this plugin in the home, whether a daemon runs or not. */
  readonly folder: string;
  /** Settings of this plugin from the configuration, unchecked. */
  readonly config: unknown;
  /** Asks for a secret at the terminal without showing it; `undefined` where there is no terminal. */
  askSecret(question: string): Promise<string | undefined>;
  /** Writes a line for the user. */
  print(line: string): void;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
}

/** One command of a plugin, such as `gantry backup list`. */
export interface PluginCommand {
  /** What it does, for `--help`. */
  description: string;
  /** What may be typed behind the command, by name; anything else is refused. */
  options?: Readonly<Record<string, CommandOption>>;
  /**
   * Runs it. What it rejects with is printed in one line and ends with exit code 1. One that has printed more than a line about
   * what failed sets `process.exitCode` instead.
   */
  run(input: CommandInput): Promise<void>;
}

/**
 * The commands of a plugin: the default export of the file that its manifest names as `commands`. They are called
 * `gantry <name> <command>`, with the daemon running or not. One command with the plugin's own name and no other beside it is
 * called `gantry <name>`.
 */
export interface PluginCommands {
  /** Kebab-case; no command of the daemon's own. */
  name: string;
  /** A few words for `gantry <name> --help`; `gantry --help` shows those of the manifest. */
  description: string;
  /** By the word that is typed behind the name. */
  commands: Readonly<Record<string, PluginCommand>>;
}

/**
 * Declares the commands of a plugin. It runs nothing.
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
