/** Grows with each change of what the daemon and the host say to each other, but for `hello` and `end`, which stay. */
export const PROTOCOL = 1;

/** The program of a terminal, as the host starts it. */
export interface ProgramToStart {
  file: string;
  args: string[];
  /** Added to the environment of the host. */
  env: Record<string, string>;
}

/** Whether a shell waits for a command. `unknown`: it has not said, since it has no integration of ours. */
export type PromptState = "ready" | "busy" | "unknown";

/** A terminal as the host knows it. */
export interface HostedTerminal {
  id: string;
  pid: number;
  state: "running" | "exited";
  exitCode: number | null;
  signal: string | null;
  /** Folder of its first process; the one that it began in where the system does not tell. */
  cwd: string;
  /** What the program calls itself, cut and without control characters. */
  title: string | null;
  prompt: PromptState;
  cols: number;
  rows: number;
  viewers: number;
}

/** How the host introduces itself. */
export interface HostGreeting {
  protocol: number;
  pid: number;
  /** The package that makes terminals; `null` if there is none. */
  pty: string | null;
  /** Why there is none. */
  problem: string | null;
}

/** What the daemon asks of the host, by name: what it gives and what it gets. */
export interface HostRequests {
  hello: { input: { protocol: number }; result: HostGreeting };
  ping: { input: object; result: object };
  list: { input: object; result: { items: HostedTerminal[] } };
  describe: { input: { id: string }; result: HostedTerminal | null };
  open: {
    input: {
      id: string;
      cwd: string;
      program: ProgramToStart;
      cols: number;
      rows: number;
      scrollback: number;
      /** What the marks of our shell integration carry, so that no output can forge one; `null` without integration. */
      nonce: string | null;
    };
    result: { pid: number };
  };
  close: { input: { id: string }; result: object };
  type: { input: { id: string; text: string }; result: SentAnswer };
  run: { input: { id: string; text: string }; result: SentAnswer };
  paste: { input: { id: string; text: string }; result: SentAnswer };
  attach: { input: { id: string; viewer: number }; result: object };
  /** Ends the host and everything in it. */
  end: { input: object; result: object };
}

/** Why a text did not go into a terminal. */
export interface SentAnswer {
  refused: null | "gone" | "busy" | "unknown" | "typed" | "lines" | "full";
}

/** What a viewer says, as the daemon passes it on. */
export type ViewerSays =
  | { type: "resize"; cols: number; rows: number }
  | { type: "ack"; bytes: number }
  | { type: "owner" };

/** What the host tells a viewer, in order with the output. */
export type ViewerHears =
  /** Everything is drawn again: the next `bytes` bytes are the screen and what is above it. */
  | { type: "screen"; cols: number; rows: number; bytes: number }
  | { type: "resize"; cols: number; rows: number }
  | { type: "owner"; you: boolean; viewers: number }
  | { type: "exit"; exitCode: number | null; signal: string | null }
  | { type: "error"; code: string; message: string };

/** Everything that the daemon sends. */
export type FromDaemon =
  | { request: keyof HostRequests; id: number; input: unknown }
  | { viewer: number; says: ViewerSays }
  | { viewer: number; left: true };

/** Everything that the host sends. */
export type FromHost =
  | { answer: number; result: unknown }
  | { answer: number; failed: { code: string; message: string } }
  | { viewer: number; hears: ViewerHears }
  | {
      exited: string;
      exitCode: number | null;
      signal: string | null;
    };
