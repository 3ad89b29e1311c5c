import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenSession } from "../../driver.ts";
import {
  MAX_TOOL_START_MS,
  writePrivateFile,
} from "../../tool-servers/tool-environment.ts";

/** Tools of Claude Code that change nothing. */
const READ_ONLY_TOOLS = [
  "Read",
  "Glob",
  "Grep",
  "LS",
  "NotebookRead",
  "WebFetch",
  "WebSearch",
  "AskUserQuestion",
  "TodoWrite",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
].join(",");

/** Overrides what the user has set and allowed permanently. Hooks are programs, and one may allow a tool in the user's place. */
const ASK_FIRST = [
  ...["--permission-mode", "default"],
  "--settings",
  JSON.stringify({
    permissions: { ask: ["Bash", "WebFetch", "WebSearch"] },
    sandbox: { autoAllowBashIfSandboxed: false },
    disableAllHooks: true,
  }),
];

/** What makes it speak JSON lines both ways. */
export const WIRE_ARGUMENTS = [
  "-p",
  ...["--input-format", "stream-json"],
  ...["--output-format", "stream-json"],
  "--verbose",
  "--include-partial-messages",
  "--replay-user-messages",
  ...["--permission-prompt-tool", "stdio"],
] as const;

/** Variables that would make it believe that it runs inside of another, and one that keeps it as it is. */
export const ENVIRONMENT = {
  CLAUDECODE: undefined,
  CLAUDE_CODE_ENTRYPOINT: undefined,
  DISABLE_AUTOUPDATER: "1",
} as const;

/**
 * Makes it wait for its tool servers before the first turn. Otherwise it waits for 5 s and starts without those that
 * are late.
 */
export const TOOL_START_ENVIRONMENT = {
  MCP_CONNECT_TIMEOUT_MS: String(MAX_TOOL_START_MS),
} as const;

/** The arguments that hold for the wire and for its screen: what the agent was given. */
export async function claudeSettings(input: OpenSession): Promise<string[]> {
  const { model, thinking, extraPrompt, readOnly, asksFirst, trusted } = input;
  const args: string[] = [];
  if (model) args.push("--model", model);
  if (thinking) args.push("--effort", thinking);
  if (extraPrompt) {
    // As a file: an argument is seen by every user of the machine.
    const file = join(input.folder, "extra-prompt.md");
    await writeFile(file, extraPrompt, { mode: 0o600 });
    await chmod(file, 0o600);
    args.push("--append-system-prompt-file", file);
  }
  if (readOnly) args.push("--tools", READ_ONLY_TOOLS);
  else if (asksFirst)
    args.push("--tools", `${READ_ONLY_TOOLS},Bash`, ...ASK_FIRST);
  // The settings of a folder hold hooks, and its tool servers are programs. Those of the user stay unless they could write.
  if (!trusted) args.push("--setting-sources", "user");
  if (!trusted || readOnly || asksFirst) args.push("--strict-mcp-config");
  args.push(...(await toolArguments(input)));
  return args;
}

/** Starts the session's tool servers, whose tools need no permission. */
async function toolArguments({
  tools,
  folder,
}: OpenSession): Promise<string[]> {
  if (tools.length === 0) return [];
  const servers = tools.map(({ name, command, args, env }) => {
    // It fills in the values itself, so that they are in its environment alone.
    const variables = Object.keys(env).map((key) => [key, `\${${key}}`]);
    return [
      name,
      {
        ...{ command, args, env: Object.fromEntries(variables) as object },
        // Otherwise it may start without them, and shows their tools only to a model that searches for them.
        alwaysLoad: true,
      },
    ];
  });
  const mcpServers: unknown = Object.fromEntries(servers);
  const text = JSON.stringify({ mcpServers });
  const file = await writePrivateFile(folder, "tool-servers.json", text);
  const names = tools.map(({ name }) => `mcp__${name}`).join(",");
  return ["--mcp-config", file, "--allowedTools", names];
}
