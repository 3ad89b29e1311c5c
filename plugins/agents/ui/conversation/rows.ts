import type { AgentDialog, AgentUsage, Entry } from "../wire.ts";

/** How a row of work is joined with the rows round it, so that they look like one block. */
export interface Joint {
  above: boolean;
  below: boolean;
}

/** What a tool was asked and what it gave. */
export interface ToolCall {
  name: string;
  title: string;
  input: string;
  /** The element of a page that a tool of a browser is used on. */
  element?: string | undefined;
  output: string;
  /** Only the beginning of the output was kept. */
  truncated: boolean;
  state: "running" | "done" | "failed" | "stopped";
}

/** A message that is on its way to the daemon. */
export interface Sending {
  key: string;
  text: string;
  images: number;
  /** Known when the daemon has it. */
  taskId: string | undefined;
  /** The newest entry when it was sent. */
  after: string | undefined;
}

/** One line, box or block of a conversation. */
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
      turnId: string;
      /** `null` while the beginning of the turn was not read. */
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
