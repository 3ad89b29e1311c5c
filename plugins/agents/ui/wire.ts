import type * as z from "zod";
import type { AgentDialog, AgentUsage } from "../src/contract.ts";
import type { PlanItem } from "@gantry/agent-kit";
import type { taskView } from "../src/records/task-record.ts";
import type { workspaceView } from "../src/records/workspace-record.ts";
import type { Entry } from "../src/transcript/entry.ts";

// Types only: imported from the server's code, so that the two cannot differ.
export type { AgentDialog, AgentUsage } from "../src/contract.ts";
export type { CliView as Cli } from "../src/clis/cli.ts";
export type { AgentView as Agent } from "../src/records/agent-record.ts";
export type { SlashCommand } from "../src/records/notes-record.ts";
export type { PlanItem } from "@gantry/agent-kit";
export type { Entry } from "../src/transcript/entry.ts";
export type Task = z.infer<typeof taskView>;
export type Workspace = z.infer<typeof workspaceView>;

/** An entry in the tree of all branches of a conversation. */
export interface TreeEntry extends Pick<
  Entry,
  "id" | "parentId" | "role" | "at"
> {
  kind: string;
  /** The beginning of its text. */
  text: string;
  /** Whether a branch can start before it. */
  forkable: boolean;
}

/** One page of a list. */
export interface ListOf<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** A running tool, as of its start or of the moment the viewer connected. */
export interface RunningTool {
  entryId: string;
  callId: string;
  name: string;
  title: string;
  input: string;
  output: string;
}

/** The state of a turn in progress when a viewer connects. */
export interface Snapshot {
  turn: {
    id: string;
    taskId: string | null;
    startedAt: string;
    usage: AgentUsage;
    texts: { kind: "text" | "thinking"; entryId: string; text: string }[];
    tools: RunningTool[];
  } | null;
  dialogs: AgentDialog[];
}

/** Messages of `GET /api/agents/{id}/stream` by their event name. */
export type StreamMessages = {
  reset: Record<string, never>;
  /** Another branch is current now; entries that were loaded before are stale. */
  branched: Record<string, never>;
  checklist: { items: PlanItem[] };
  snapshot: Snapshot;
  state: {
    state: "open" | "closed";
    mode: "managed" | "terminal" | null;
    activity: "idle" | "working" | "waiting";
  };
  "turn-started": { turnId: string; taskId: string | null };
  delta: { entryId: string; kind: "text" | "thinking"; text: string };
  tool: RunningTool;
  /** Output of a tool to append; with `isWhole` it replaces all earlier output. */
  "tool-output": { entryId: string; text: string; isWhole: boolean };
  entry: Entry;
  usage: { turnId: string; usage: AgentUsage };
  "dialog-opened": AgentDialog;
  "dialog-closed": { dialogId: string; answer: string | null };
  "turn-ended": {
    turnId: string;
    stopReason: "end" | "cancelled" | "refused" | "error";
    error: string | null;
    usage: AgentUsage;
  };
  task: { taskId: string; status: Task["status"] };
};

/** One message of the stream. */
export type StreamMessage = {
  [Name in keyof StreamMessages]: { event: Name; data: StreamMessages[Name] };
}[keyof StreamMessages];
