import { defineEvent, defineService } from "@gantry/plugin";

export { TERMINAL_INPUT_ERRORS, TERMINAL_OPEN_ERRORS } from "./rejections.ts";

/** What is in a terminal: a shell, or the screen of an agent CLI. */
export interface TerminalPane {
  id: string;
  /** How the user calls it. */
  name: string;
  kind: "shell" | "cli";
  /** Folder that it is in now. */
  cwd: string;
  /** Name of the agent CLI; `null` for a shell. */
  cli: string | null;
  /** Name of the agent whose screen it is; `null` if it is none's. */
  agent: string | null;
  /** Whether a shell is known to wait at its prompt for a command. */
  atPrompt: boolean;
  /** Changes whenever another process comes to live under this id, so that nothing meant for the old one reaches it. */
  incarnation: string;
}

/** The terminals of the user, for those who send text into them. */
export interface TerminalPanes {
  /** Those whose process runs, newest first. */
  list(
    input: Readonly<Record<string, never>>,
    signal: AbortSignal,
  ): Promise<{ items: TerminalPane[] }>;
  /** A terminal as it is now; `null` if there is none, or its process has ended. */
  describe(
    input: { id: string },
    signal: AbortSignal,
  ): Promise<TerminalPane | null>;
  /**
   * Pastes a prompt into the agent CLI of this terminal and sends it off. Rejects with an error of the terminals plugin if
   * its process is no longer `incarnation`.
   */
  prompt(
    input: { id: string; incarnation: string; text: string },
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * Pastes a command into the shell of this terminal and runs it. Rejects as {@link prompt} does, and if the shell is not
   * at its prompt.
   */
  run(
    input: { id: string; incarnation: string; text: string },
    signal: AbortSignal,
  ): Promise<void>;
}

export const TerminalPanes = defineService<TerminalPanes>("terminals.panes@1");

/** A program to be shown in a terminal. */
export interface TerminalProgram {
  /** Absolute path of the executable. */
  file: string;
  args: readonly string[];
  /** Added to the cleaned environment that every terminal gets. */
  env: Readonly<Record<string, string>>;
}

/** A terminal with what those need to know who opened a program in it. */
export interface TerminalScreen extends TerminalPane {
  /** Of the program; `null` once it has ended. */
  pid: number | null;
  state: "running" | "exited";
  /** How the program ended; `null` while it runs, if a signal ended it, or if its end was not observed. */
  exitCode: number | null;
}

/** Terminals for plugins that show a program in one, such as the screen of an agent CLI or its login. */
export interface TerminalHost {
  /**
   * Starts a program in a terminal of its own, which lives on when the daemon stops. It is in the user's list with the
   * others.
   *
   * Rejects with `TERMINAL_FOLDER_MISSING` (400) if `cwd` is no folder, `TERMINAL_NOT_STARTED` (502) if the program cannot
   * be run, `TERMINAL_LIMIT` (409) if there are too many, `TERMINAL_UNAVAILABLE` (503) if there can be none on this machine.
   */
  open(
    input: {
      name: string;
      cwd: string;
      program: TerminalProgram;
      /** Name of the agent CLI; `null` for anything else. */
      cli: string | null;
      /** Whose screen it is. */
      agent: { id: string; name: string } | null;
    },
    signal: AbortSignal,
  ): Promise<{ terminalId: string; pid: number; incarnation: string }>;
  /** A terminal as it is now, also if its program has ended; `null` if there is none. */
  describe(
    input: { id: string },
    signal: AbortSignal,
  ): Promise<TerminalScreen | null>;
  /**
   * The terminal that a process runs in, whether it has left its session or become another's child; `null` if it is in none.
   * Finds none on a system without /proc.
   */
  find(
    input: { pid: number },
    signal: AbortSignal,
  ): Promise<TerminalScreen | null>;
  /**
   * Ends what runs in a terminal, the whole tree of processes: hang-up and TERM, then KILL. Then forgets the terminal.
   * Resolves when nothing is left of it; one that is not there is no error.
   */
  close(input: { id: string }, signal: AbortSignal): Promise<void>;
  /**
   * Pastes a text, as the bracketed paste of a keyboard would, and presses Enter. What could end the paste early is left
   * out. Rejects with `TERMINAL_REPLACED` (409) if its program is no longer `incarnation` or has ended,
   * `TERMINAL_NOT_FOUND` (404).
   */
  paste(
    input: { id: string; incarnation: string; text: string },
    signal: AbortSignal,
  ): Promise<void>;
}

export const TerminalHost = defineService<TerminalHost>("terminals.host@1");

/** What events report about a terminal. */
export interface TerminalBrief {
  name: string;
  kind: "shell" | "cli";
  cwd: string;
  /** Name of the agent CLI; `null` for a shell. */
  cli: string | null;
  /** Whose screen it is. */
  agent: { id: string; name: string } | null;
}

export const TerminalOpened = defineEvent<TerminalBrief>(
  "terminals.terminal-opened",
  "A terminal was opened, and its program runs.",
);
export const TerminalChanged = defineEvent<TerminalBrief>(
  "terminals.terminal-changed",
  "A terminal was given another name.",
);
export const TerminalExited = defineEvent<
  TerminalBrief & {
    /** `null` if a signal ended the program, or its end was not observed. */
    exitCode: number | null;
    /** Name of the signal that ended it, such as `SIGTERM`. */
    signal: string | null;
  }
>(
  "terminals.terminal-exited",
  "The program in a terminal has ended; its last screen stays until the terminal is closed.",
);
export const TerminalClosed = defineEvent<TerminalBrief>(
  "terminals.terminal-closed",
  "A terminal was closed; what ran in it is ended.",
);
