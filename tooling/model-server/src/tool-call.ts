import type { OfferedTool } from "./conversation.ts";
import { toRecord, type Json } from "./json.ts";

/** A tool call as it goes over the wire. */
export interface ToolCall {
  name: string;
  arguments: Json;
}

/** What the shell tool is called by one CLI or another. */
const SHELL_NAMES = [
  "bash",
  "Bash",
  "shell",
  "shell_command",
  "exec_command",
  "run_shell_command",
  "execute",
  "terminal",
];

/** Makes the call of a tool from a script, for the tools that a client offers: `bash` is whatever its shell is called. */
export function toToolCall(
  name: string,
  argument: string | Json,
  tools: readonly OfferedTool[],
): ToolCall {
  if (typeof argument !== "string") return { name, arguments: argument };
  const tool = SHELL_NAMES.map((known) =>
    tools.find((offered) => offered.name === known),
  ).find(Boolean);
  const properties = toRecord(tool?.schema["properties"]);
  const key =
    ["command", "cmd", "script"].find((known) => known in properties) ??
    "command";
  const asList = toRecord(properties[key])["type"] === "array";
  const call: Json = { [key]: asList ? ["bash", "-lc", argument] : argument };
  const required = tool?.schema["required"];
  if (Array.isArray(required) && required.includes("description"))
    call["description"] = "A scripted command";
  return { name: tool?.name ?? name, arguments: call };
}
