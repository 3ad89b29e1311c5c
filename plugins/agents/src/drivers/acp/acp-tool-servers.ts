import type {
  McpServer,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { ToolServer } from "../../tool-server.ts";
import type { KnownTool } from "./acp-turn.ts";
import type { ToolUpdate } from "./acp-updates.ts";

/** Tool servers in the format of the protocol. */
export function toMcpServers(tools: readonly ToolServer[]): McpServer[] {
  return tools.map(({ name, command, args, env }) => ({
    name,
    command,
    args: [...args],
    env: Object.entries(env).map(([variable, value]) => ({
      name: variable,
      value,
    })),
  }));
}

/**
 * The answer to a request for permission to call a tool of these servers, which decide for themselves what a call may
 * do. `undefined` for any other request, which the user answers.
 */
export function answerForTools(
  { toolCall, options }: RequestPermissionRequest,
  known: KnownTool | undefined,
  tools: readonly ToolServer[],
): RequestPermissionResponse | undefined {
  const kind = toolCall.kind ?? known?.kind ?? "other";
  if (kind !== "other") return undefined;
  const title = toolCall.title ?? known?.title ?? "";
  const id = toolCall.toolCallId;
  const isOurs = tools.some(({ name, tools: names }) =>
    names.some(
      (tool) =>
        titlesOf(name, tool).includes(title) &&
        (id.startsWith(`mcp_${name}_${tool}-`) ||
          isPlain(inputOf(toolCall, known))),
    ),
  );
  const once = options.find((option) => option.kind === "allow_once");
  if (!isOurs || !once) return undefined;
  return { outcome: { outcome: "selected", optionId: once.optionId } };
}

/**
 * What a request that was answered at once says about its call. Gemini CLI reports the call nowhere else before it has ended, and
 * its input not even then.
 */
export function toToolUpdate(
  { toolCall }: RequestPermissionRequest,
  known: KnownTool | undefined,
): ToolUpdate {
  const { toolCallId, title, name, kind } = toolCall;
  return {
    sessionUpdate: "tool_call_update",
    ...{ toolCallId, title, name, kind },
    status: "pending",
    // There stands the input, not what the tool gave.
    content: null,
    rawInput: inputOf(toolCall, known),
  };
}

/** Names that agents give to a server's tool: Gemini CLI, OpenCode, and Claude Code behind its adapter. */
function titlesOf(server: string, tool: string): string[] {
  return [
    `${tool} (${server} MCP Server)`,
    `${server}_${tool}`,
    `mcp__${server}__${tool}`,
  ];
}

/**
 * Whether an input is known and contains no command. Gemini CLI shows the command of a call instead of its name, so a
 * model could give a call of any tool the title of one of ours.
 */
function isPlain(input: unknown): boolean {
  return (
    typeof input === "object" &&
    input !== null &&
    !Array.isArray(input) &&
    !("command" in input)
  );
}

/** The input of a tool. Gemini CLI sends it as text. */
function inputOf(
  call: RequestPermissionRequest["toolCall"],
  known: KnownTool | undefined,
): unknown {
  const input = call.rawInput ?? known?.rawInput;
  if (input !== undefined && input !== null) return input;
  const part = call.content?.[0];
  if (part?.type !== "content" || part.content.type !== "text")
    return undefined;
  try {
    return JSON.parse(part.content.text) as unknown;
  } catch {
    return undefined;
  }
}
