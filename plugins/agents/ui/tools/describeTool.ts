import {
  readTool,
  type ToolKind,
  type ToolReading,
} from "@gantry/agent-kit/tools";
import type { ToolCall } from "../conversation/rows.ts";

/** A tool call prepared for display. */
export interface ToolView extends ToolReading {
  /** For example `Edited` or `Editing`. */
  verb: string;
}

const verbs: Readonly<Record<ToolKind, readonly [string, string]>> = {
  shell: ["Ran", "Running"],
  edit: ["Edited", "Editing"],
  write: ["Wrote", "Writing"],
  read: ["Read", "Reading"],
  search: ["Searched", "Searching"],
  web: ["Fetched", "Fetching"],
  plan: ["Planned", "Planning"],
  other: ["Used", "Using"],
};

/** Prepares a tool call for display. */
export function describeTool(call: ToolCall): ToolView {
  const reading = readTool(call);
  const verb = verbs[reading.kind][call.state === "running" ? 1 : 0];
  return {
    ...reading,
    verb: reading.kind === "other" ? `${verb} ${call.name}` : verb,
  };
}
