import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { ToolPlugin } from "../help/tool-plugin.ts";

let folder: string;
let agents: AgentsKernel;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-tools-"));
  const offer = new ToolPlugin(folder);
  agents = await AgentsKernel.start({
    clis: { rough: standIn("rough-acp") },
    beside: [offer.plugin],
    limits: { openAgents: 50 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The input of a call, as Gemini CLI reports it. */
const shown = (input: object) => [
  {
    type: "content",
    content: { type: "text", text: JSON.stringify(input) },
  },
];

const GEMINI = "echo (bench-tools MCP Server)";
const input = { text: "x" };

test.for<[string, object]>([
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
])("a call of our tools by %s is no question", async ([, call]) => {
  const { id } = await agents.create({ cli: "rough" });
  const { body } = await agents.ask(id, `[[permit:${JSON.stringify(call)}]]`);
  expect(body.answer).toContain("proceed_once");
  const entries = await agents.entries(id);
  expect(entries.filter(({ kind }) => kind === "dialog")).toEqual([]);
});

test.for<[string, object]>([
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
])("%s is a question", async ([, call]) => {
  const { id } = await agents.create({ cli: "rough" });
  const request = JSON.stringify({ toolCallId: "1", ...call });
  const asked = agents.ask(id, `[[permit:${request}]]`);
  const { dialog } = await agents.untilAgent(
    id,
    (agent) => agent.dialog !== null,
    "a question is open",
  );
  await agents.kernel.api.post(`/api/agents/${id}/ui`, {
    dialogId: dialog?.id,
    optionId: "cancel",
  });
  expect((await asked).body.answer).toContain('"cancel"');
});
