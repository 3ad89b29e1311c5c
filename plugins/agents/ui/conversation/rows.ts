import type { AgentDialog, AgentUsage, Entry } from "../wire.ts";

/** Which neighbours a row of work is joined to, so that they look like one block. */
export interface Joint {
  above: boolean;
  below: boolean;
}

/** Input and output of a tool call. */
export interface ToolCall {
  name: string;
  title: string;
  input: string;
  output: string;
  /** Whether only the beginning of the output was kept. */
  truncated: boolean;
  state: "running" | "done" | "failed" | "stopped";
}

/** A message in flight to the daemon. */
export interface Sending {
  key: string;
  text: string;
  images: number;
  /** Set once the daemon has accepted it. */
  taskId: string | undefined;
  /** Id of the newest entry when it was sent. */
  after: string | undefined;
}

/** One row of a conversation. */
export type Row = { key: string } & (
  | { kind: "day"; at: string }
  | { kind: "message"; entry: Entry }
  | {
      kind: "answer";
      text: string;
      state: "done" | "growing" | "stopped";
      truncated: boolean;
    }
  | {
      kind: "thinking";
      text: string;
      state: "done" | "growing" | "stopped";
      joint: Joint;
    }
  | { kind: "tool"; call: ToolCall; joint: Joint }
  | { kind: "asked"; entry: Entry; joint: Joint }
  | { kind: "error"; text: string }
  | { kind: "notice"; text: string }
  | { kind: "cut-off"; text: string; turnId: string | null; at: string }
  | {
      kind: "turn-end";
      /** `null` until the beginning of the turn is loaded. */
      usage: AgentUsage | null;
      durationMs: number | null;
      answer: string;
    }
  | { kind: "sending"; sending: Sending }
  | { kind: "dialog"; dialog: AgentDialog; position: number }
  | { kind: "working"; startedAt: number; usage: AgentUsage | null }
);

/** The kinds of rows. */
export type RowKind = Row["kind"];
/** A row of one kind. */
export type RowOf<Kind extends RowKind> = Extract<Row, { kind: Kind }>;
