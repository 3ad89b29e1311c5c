import {
  readTool,
  type ToolKind,
  type ToolReading,
} from "../../src/tools/read-tool.ts";
import type { ToolCall } from "../conversation/rows.ts";

/** A tool call in words and parts that a page can show. */
export interface ToolView extends ToolReading {
  /** What was done: `Edited`. */
  verb: string;
}

const verbs: Readonly<
  Record<Exclude<ToolKind, "browser">, readonly [string, string]>
> = {
  shell: ["Ran", "Running"],
  edit: ["Edited", "Editing"],
  write: ["Wrote", "Writing"],
  read: ["Read", "Reading"],
  search: ["Searched", "Searching"],
  web: ["Fetched", "Fetching"],
  plan: ["Planned", "Planning"],
  other: ["Used", "Using"],
};

/** Puts a tool call into words. */
export function describeTool(call: ToolCall): ToolView {
  const reading = readTool(call);
  const { kind, action } = reading;
  const tense = call.state === "running" ? 1 : 0;
  if (action)
    return {
      ...reading,
      verb: action.verbs[tense],
      subject: /^e\d+$/.test(action.subject)
        ? (call.element ?? action.subject)
        : action.subject,
    };
  const verb = verbs[kind === "browser" ? "web" : kind][tense];
  return {
    ...reading,
    verb: reading.kind === "other" ? `${verb} ${call.name}` : verb,
  };
}
