import type * as z from "zod";
import type { AgentDialog } from "../src/contract.ts";
import type { AgentUsage } from "../src/agent-usage.ts";
import type { PlanItem } from "../src/driver-reports.ts";
import type { taskView } from "../src/records/task-record.ts";
import type { workspaceView } from "../src/records/workspace-record.ts";
import type { AgentView } from "../src/records/agent-record.ts";
import type { Entry } from "../src/transcript/entry.ts";

// Types only: what the server sends can then not be something else here.
export type { AgentDialog } from "../src/contract.ts";
export type { AgentUsage } from "../src/agent-usage.ts";
export type { CliView as Cli } from "../src/clis/cli.ts";
export type { UsageReport } from "../src/usage/usage-report.ts";
export type { UsageSum } from "../src/usage/usage-sum.ts";
export type { SlashCommand } from "../src/records/notes-record.ts";
export type { PlanItem } from "../src/driver-reports.ts";
export type { Entry } from "../src/transcript/entry.ts";
/** An agent. Only its own page is told whether its CLI has lost the conversation. */
export type Agent = AgentView & { isMemoryLost?: boolean };
export type Task = z.infer<typeof taskView>;
export type Workspace = z.infer<typeof workspaceView>;

/** An agent that works in a place. */
export type PlaceAgent = Pick<Agent, "id" | "name" | "activity" | "state">;

/** What a folder is, as `GET /api/workspaces/place` says it. */
export interface Place {
  repository: {
    root: string;
    branch: string | null;
    hasCommits: boolean;
  } | null;
  /** The open agents in the same working tree. */
  agents: PlaceAgent[];
  /** The command that the repository's worktrees were set up with last. */
  setup: string | null;
}

/** An entry of a conversation with all of its branches. */
export interface TreeEntry extends Pick<
  Entry,
  "id" | "parentId" | "role" | "at"
> {
  kind: string;
  /** Its beginning. */
  text: string;
  /** Whether the conversation can be continued from before it. */
  forkable: boolean;
}

/** A listing's answer. */
export interface ListOf<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** A running tool, as it was when it began or when the viewer connected. */
export interface RunningTool {
  entryId: string;
  callId: string;
  name: string;
  title: string;
  input: string;
  output: string;
}

/** Everything that is growing when a viewer connects. */
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
  /** The conversation continues in another place than its end: what was read of it is outdated. */
  branched: Record<string, never>;
  checklist: { items: PlanItem[] };
  snapshot: Snapshot;
  state: {
    state: "open" | "closed";
    mode: "managed" | "terminal" | null;
    activity: "idle" | "working" | "waiting";
    openWork: AgentView["openWork"];
  };
  "turn-started": { turnId: string; taskId: string | null };
  delta: { entryId: string; kind: "text" | "thinking"; text: string };
  tool: RunningTool;
  /** More of the output of a tool, or with `isWhole` all of it. */
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
