/** A terminal as the daemon gives it. */
export interface Terminal {
  id: string;
  name: string;
  kind: "shell" | "cli";
  cwd: string;
  cli: string | null;
  agent: { id: string; name: string } | null;
  command: string;
  state: "running" | "exited";
  exitCode: number | null;
  signal: string | null;
  title: string | null;
  prompt: "ready" | "busy" | "unknown";
  viewers: number;
  createdAt: string;
}

/** What the daemon sends about a terminal while it has a viewer. */
export type Heard =
  | { type: "screen"; cols: number; rows: number; bytes: number }
  | { type: "resize"; cols: number; rows: number }
  | { type: "owner"; you: boolean; viewers: number }
  | { type: "exit"; exitCode: number | null; signal: string | null }
  | { type: "closed" }
  | { type: "error"; code: string; message: string };

/** What a viewer says. */
export type Says =
  | { type: "resize"; cols: number; rows: number }
  | { type: "ack"; bytes: number }
  | { type: "owner" };
