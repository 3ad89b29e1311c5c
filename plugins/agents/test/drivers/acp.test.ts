import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { DialogOpened } from "../../src/contract.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";

let agents: AgentsKernel;

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: {
      rough: standIn("rough-acp"),
      login: standIn("rough-acp", { ROUGH_LOGIN: "1" }),
      future: standIn("rough-acp", { ROUGH_PROTOCOL: "2" }),
      forgets: standIn("rough-acp", { ROUGH_FORGETS: "1" }),
      carries: {
        ...standIn("rough-acp", { ROUGH_TOTAL: "2" }),
        cost: "usd",
      } as never,
      text: { driver: "acp", command: "/bin/cat", args: [] },
    },
    limits: { openAgents: 30, abortMs: 300 },
  });
});
afterAll(() => agents.kernel.stop());

const start = async (cli: string, more: object = {}) => {
  const { id } = await agents.create({ cli, ...more });
  return await agents.kernel.api.post<{ code: string; detail: string }>(
    `/api/agents/${id}/managed/start`,
  );
};

test("a model that the agent offers is chosen, also from a group", async () => {
  const { id } = await agents.create({ cli: "rough", model: "large" });
  expect((await agents.ask(id, "[[model]]")).body.answer).toBe("model large");
});

test("a model that it does not offer gives way to its default, which is said with those that it does", async () => {
  const { id } = await agents.create({ cli: "rough", model: "huge" });
  expect((await agents.ask(id, "[[model]]")).body.answer).toBe("model small");
  const said = (await agents.entries(id)).find(({ kind }) => kind === "notice");
  expect(said?.text).toMatch(/no model "huge".*small, large.*default model/);
});

test("what it turns out not to have is 501 and named", async () => {
  // Known only when it was asked: the protocol could carry it.
  const { id } = await agents.create({ cli: "login", thinking: "high" });
  expect(id).toBeTruthy();
  const answer = await start("forgets", { thinking: "high" });
  expect(answer).toMatchObject({
    status: 501,
    body: { code: "AGENT_UNSUPPORTED" },
  });
  expect(answer.body.detail).toContain("thinking");
});

test("what it said of itself is listed afterwards", async () => {
  await start("rough");
  const { body } = await agents.kernel.api.get<{ items: { name: string }[] }>(
    "/api/agents/clis",
  );
  expect(body.items.find(({ name }) => name === "rough")).toMatchObject({
    version: "9.8.7",
    installed: true,
    isPractice: false,
    capabilities: {
      resume: true,
      images: false,
      model: true,
      thinking: false,
      steer: false,
      cost: "none",
    },
  });
  expect(body.items.find(({ name }) => name === "practice")).toMatchObject({
    isPractice: true,
    title: expect.stringContaining("without a model") as string,
    capabilities: { cost: "usd" },
  });
});

test.each([
  ["login", "log in"],
  ["future", "version 2"],
  ["text", "initialize"],
])("%s does not start, and says why", async (cli, words) => {
  const answer = await start(cli);
  expect(answer).toMatchObject({
    status: 502,
    body: { code: "AGENT_START_FAILED" },
  });
  expect(answer.body.detail).toContain(words);
});

test("one that never answers does not start, and says how long it had", async () => {
  // A daemon of its own, since no other stand-in has to be as quick as this limit.
  const hurried = await AgentsKernel.start({
    clis: { quiet: { driver: "acp", command: "/bin/sleep", args: ["300"] } },
    limits: { startMs: 1000 },
  });
  onTestFinished(() => hurried.kernel.stop());
  const { id } = await hurried.create({ cli: "quiet" });
  const answer = await hurried.kernel.api.post<{
    code: string;
    detail: string;
  }>(`/api/agents/${id}/managed/start`);
  expect(answer).toMatchObject({
    status: 502,
    body: { code: "AGENT_START_FAILED" },
  });
  expect(answer.body.detail).toContain("1000 ms");
});

test("a conversation that it forgot starts over, and says so", async () => {
  const { id } = await agents.create({ cli: "forgets" });
  await agents.ask(id, "[[reply:a]]");
  const before = (await agents.get(id)).sessionId;
  await agents.close(id);
  await agents.ask(id, "[[reply:b]]");
  expect((await agents.get(id)).sessionId).not.toBe(before);
  expect(await agents.entries(id)).toContainEqual(
    expect.objectContaining({
      kind: "notice",
      text: expect.stringContaining("begins again") as string,
    }),
  );
});

test("a running total that is carried over a restart is not counted again", async () => {
  const { id } = await agents.create({ cli: "carries" });
  expect((await agents.ask(id, "[[total:2]][[reply:a]]")).body.costUsd).toBe(2);
  await agents.close(id);
  expect((await agents.ask(id, "[[total:2.5]][[reply:b]]")).body.costUsd).toBe(
    0.5,
  );
  expect((await agents.get(id)).usage.costUsd).toBe(2.5);
});

test("spending that is reported after the end of a turn is that turn's", async () => {
  const { id, cwd } = await agents.create({ cli: "carries" });
  expect(
    (await agents.ask(id, "[[total:2]][[late:2.5]][[reply:a]]")).body.costUsd,
  ).toBe(2);
  await writeFile(join(cwd, "turn-is-over"), "");
  await agents.untilAgent(
    id,
    ({ usage }) => usage.costUsd === 2.5,
    "all is counted",
  );
  await agents.close(id);
  const { body } = await agents.kernel.api.get<{
    items: { key: string; turns: number; usage: { costUsd: number } }[];
  }>("/api/usage", { by: "agent" });
  expect(body.items.find(({ key }) => key === id)).toMatchObject({
    turns: 1,
    usage: { costUsd: 2.5 },
  });
});

test(
  "a flood of updates is taken in order and whole, and does not fill memory",
  { tags: "thorough" },
  async () => {
    const { id } = await agents.create({ cli: "rough" });
    await agents.ask(id, "[[many:1000]]");
    const before = process.memoryUsage().rss;
    const { body } = await agents.ask(id, "[[many:100000]]");
    expect(body.answer).toHaveLength(100_000);
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(
      150,
    );
  },
);

test("the answer to a permission goes by its kind", async () => {
  const { id } = await agents.create({ cli: "rough" });
  const asked = agents.ask(id, "[[ask:make clean]]");
  const { dialog } = await agents.untilAgent(
    id,
    (agent) => agent.dialog !== null,
    "a question is open",
  );
  expect(dialog).toMatchObject({
    title: "make clean",
    body: "",
    options: [
      { id: "proceed_always", label: "Always", kind: "allow" },
      { id: "proceed_once", label: "Once", kind: "allow" },
      { id: "cancel", label: "No", kind: "reject" },
    ],
  });
  await agents.kernel.api.post(`/api/agents/${id}/ui`, {
    dialogId: dialog?.id,
    optionId: "proceed_once",
  });
  expect((await asked).body.answer).toContain('"optionId":"proceed_once"');
});

test.each([
  [
    "a request that says all",
    [
      {
        permit: {
          toolCallId: "t1",
          title: "Edit notes.md",
          kind: "edit",
          rawInput: { file_path: "/p/notes.md", old_string: "a" },
          content: [
            { type: "diff", path: "/p/notes.md", oldText: "a", newText: "b" },
          ],
        },
      },
    ],
    {
      title: "Edit notes.md",
      body: "/p/notes.md\n-a\n+b",
    },
  ],
  [
    "a request for a tool that was reported before",
    [
      {
        call: {
          toolCallId: "t2",
          title: "bash",
          name: "bash",
          kind: "execute",
          status: "pending",
          rawInput: { command: "git push", cwd: "/p" },
        },
      },
      { permit: { toolCallId: "t2" } },
    ],
    { title: "bash: git push", body: "cwd: /p" },
  ],
  [
    "a request of which nothing is known",
    [{ permit: { toolCallId: "t3" } }],
    { title: "tool", body: "" },
  ],
  [
    "a command that overwrites itself on a terminal",
    [
      {
        permit: {
          toolCallId: "t4",
          title: "Tidy up",
          kind: "execute",
          rawInput: { command: "rm -rf ~\recho tidy" },
        },
      },
    ],
    { title: "Tidy up", body: "rm -rf ~⟨U+000D⟩echo tidy" },
  ],
])("%s is told in words, not as JSON", async (_what, steps, expected) => {
  const { id } = await agents.create({ cli: "rough" });
  const markers = steps.map((step) => {
    const [[name, value] = []] = Object.entries(step);
    return `[[${name}:${JSON.stringify(value)}]]`;
  });
  const asked = agents.ask(id, markers.join(""));
  const { dialog } = await agents.untilAgent(
    id,
    (agent) => agent.dialog !== null,
    "a question is open",
  );
  expect(dialog).toMatchObject(expected);
  const opened = agents.kernel.events
    .all(DialogOpened)
    .find(({ subject }) => subject === id);
  expect(opened?.data).toMatchObject(expected);
  await agents.kernel.api.post(`/api/agents/${id}/ui`, {
    dialogId: dialog?.id,
    optionId: "cancel",
  });
  await asked;
  const entries = await agents.entries(id);
  expect(entries.find(({ kind }) => kind === "dialog")?.text).toBe(
    [expected.title, expected.body].filter(Boolean).join("\n"),
  );
});
