import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import type { ToolServer } from "../../src/contract.ts";
import {
  answerForTools,
  toMcpServers,
} from "../../src/drivers/acp/acp-tool-servers.ts";

const SERVER: ToolServer = {
  name: "bench-tools",
  command: "/bin/server",
  args: ["--quiet"],
  env: { TOOL_KEY: "secret" },
  tools: ["echo"],
};

const OPTIONS: RequestPermissionRequest["options"] = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
];

const answer = (toolCall: RequestPermissionRequest["toolCall"]) =>
  answerForTools({ sessionId: "s", toolCall, options: OPTIONS }, undefined, [
    SERVER,
  ]);

/** The input of a call, as Gemini CLI reports it. */
const shown = (input: object) => [
  {
    type: "content" as const,
    content: { type: "text" as const, text: JSON.stringify(input) },
  },
];

const GEMINI = "echo (bench-tools MCP Server)";
const input = { text: "x" };

test("servers are handed over as the protocol has them", () => {
  expect(toMcpServers([SERVER])).toEqual([
    {
      ...{ name: "bench-tools", command: "/bin/server", args: ["--quiet"] },
      env: [{ name: "TOOL_KEY", value: "secret" }],
    },
  ]);
});

test.for<[string, RequestPermissionRequest["toolCall"]]>([
  [
    "Gemini CLI",
    { toolCallId: "1", title: GEMINI, kind: "other", content: shown(input) },
  ],
  [
    "Gemini CLI, with an input that is too long to be shown",
    { toolCallId: "mcp_bench-tools_echo-17-1", title: GEMINI, kind: "other" },
  ],
  ["OpenCode", { toolCallId: "1", title: "bench-tools_echo", rawInput: {} }],
  [
    "the adapter of Claude Code",
    { toolCallId: "1", title: "mcp__bench-tools__echo", rawInput: input },
  ],
])("a call of our tools by %s is allowed once", ([, call]) => {
  expect(answer(call)).toEqual({
    outcome: { outcome: "selected", optionId: "once" },
  });
});

test.for<[string, Omit<RequestPermissionRequest["toolCall"], "toolCallId">]>([
  [
    "a command of the title of our tool",
    { title: GEMINI, kind: "execute", rawInput: { command: GEMINI } },
  ],
  [
    "another tool with a command of our title",
    { title: GEMINI, kind: "other", content: shown({ command: GEMINI }) },
  ],
  ["our tool with an unknown input", { title: GEMINI, kind: "other" }],
  [
    "a tool that we did not name",
    { title: "shell (bench-tools MCP Server)", rawInput: input },
  ],
  ["a tool of another server", { title: "other_echo", rawInput: input }],
])("%s is left to the user", ([, call]) => {
  expect(answer({ toolCallId: "1", ...call })).toBeUndefined();
});
