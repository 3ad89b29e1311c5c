import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { ToolPlugin } from "../help/tool-plugin.ts";
import { mentions, processesIn, until } from "../help/wait.ts";

let folder: string;
let offer: ToolPlugin;
let other: ToolPlugin;
let agents: AgentsKernel;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-tools-"));
  offer = new ToolPlugin(folder);
  other = new ToolPlugin(folder, "other-tools", "other_");
  const beside = [offer.plugin, other.plugin];
  agents = await AgentsKernel.start({
    clis: { rough: standIn("rough-acp") },
    beside,
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(folder, { recursive: true, force: true });
});

test(
  "the practice agent calls the tools of several servers",
  { tags: "thorough" },
  async () => {
    const { id } = await agents.create({ cli: "practice" });
    const { body } = await agents.ask(
      id,
      '[[tools]][[tool:echo:{"text":"one"}]][[tool:other_echo:{"text":"two"}]][[reply:done]]',
    );
    expect(body).toMatchObject({ answer: "done", stopReason: "end" });
    const entries = await agents.entries(id);
    expect(entries.map(({ text }) => text)).toContain(
      "tools echo, refuse, other_echo, other_refuse",
    );
    const tools = entries.filter(({ kind }) => kind === "tool");
    expect(tools.map(({ text }) => text)).toEqual([
      "echo: one",
      "other_echo: two",
    ]);
    expect(tools[0]?.tool).toMatchObject({
      name: "echo",
      input: '{"text":"one"}',
    });
    // The key is passed in the environment and stored nowhere.
    const { key } = offer.admitted.at(-1)!;
    expect(offer.called.at(-1)).toMatchObject({ key });
    expect(await mentions(agents.kernel.home, key)).toBe(false);
    expect(JSON.stringify(agents.kernel.log)).not.toContain(key);
  },
);

test(
  "a call that fails is shown as such, and the turn continues",
  { tags: "thorough" },
  async () => {
    const { id } = await agents.create({ cli: "practice" });
    const { body } = await agents.ask(
      id,
      '[[tool:refuse:{"text":"x"}]][[tool:nothing]][[tool:echo:no JSON]][[tool:echo:{"text":"die"}]][[reply:still here]]',
    );
    expect(body.answer).toBe("still here");
    const entries = await agents.entries(id);
    const tools = entries.filter(({ kind }) => kind === "tool");
    expect(tools.map(({ text }) => text)).toEqual([
      "refuse: x",
      "There is no tool nothing.",
      "The input is no JSON object.",
      "bench-tools: It has ended.",
    ]);
  },
);

test(
  "a turn that is stopped cancels the call",
  { tags: "thorough" },
  async () => {
    const { id } = await agents.create({ cli: "practice" });
    const asked = agents.ask(id, '[[tool:echo:{"text":"hang"}]]');
    const hangs = JSON.stringify({ text: "hang" });
    await until(
      () => offer.called.some(({ input }) => JSON.stringify(input) === hangs),
      "the tool was called",
    );
    await agents.kernel.api.post(`/api/agents/${id}/abort`);
    expect((await asked).body.stopReason).toBe("cancelled");
    await until(async () => {
      const notes = await readFile(offer.calls, "utf8");
      return notes.includes("cancelled");
    }, "the server is notified");
  },
);

test(
  "an earlier conversation and a copy of it have tools, with a key of their own",
  { tags: "thorough" },
  async () => {
    const { id, cwd } = await agents.create({ cli: "practice" });
    const call = '[[tool:echo:{"text":"again"}]]';
    await agents.ask(id, call);
    await agents.close(id);
    await until(
      async () => (await processesIn(cwd)).length === 0,
      "the tool server is gone",
    );
    await agents.ask(id, call);
    const { body: copy } = await agents.kernel.api.post<{ id: string }>(
      `/api/agents/${id}/clone`,
    );
    await agents.ask(copy.id, call);
    const keys = offer.called.slice(-3).map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  },
);

test(
  "an agent that asks before it calls our tools is answered without a question",
  { tags: "thorough" },
  async () => {
    const { id } = await agents.create({ cli: "rough" });
    const call = {
      ...{ toolCallId: "1", title: "bench-tools_echo" },
      rawInput: { text: "x" },
    };
    const { body } = await agents.ask(id, `[[permit:${JSON.stringify(call)}]]`);
    expect(body.answer).toContain("proceed_once");
    const entries = await agents.entries(id);
    expect(entries.filter(({ kind }) => kind === "dialog")).toEqual([]);
  },
);

test("a call that only its request for permission reports is shown with its input", async () => {
  const { id } = await agents.create({ cli: "rough" });
  const content = (text: string) => [
    { type: "content", content: { type: "text", text } },
  ];
  const toolCallId = "mcp_bench-tools_echo__call_1";
  const call = {
    ...{ toolCallId, title: "echo (bench-tools MCP Server)", kind: "other" },
    content: content('{"text":"one"}'),
  };
  const ended = {
    ...{ sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
    content: content("echo: one"),
  };
  await agents.ask(
    id,
    `[[permit:${JSON.stringify(call)}]][[update:${JSON.stringify(ended)}]]`,
  );
  const entries = await agents.entries(id);
  expect(entries.find(({ kind }) => kind === "tool")).toMatchObject({
    text: "echo: one",
    tool: { title: call.title, input: '{"text":"one"}', failed: false },
  });
});
