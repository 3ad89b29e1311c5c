import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UnaskedTurnFinished } from "../../src/contract.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";

let agents: AgentsKernel;

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: { rough: standIn("rough-acp") },
    limits: { openAgents: 30 },
  });
});
afterAll(() => agents.kernel.stop());

/** Lets the turn of a new agent end, so that the agent then continues by itself. */
async function goOn(prompt: string): Promise<string> {
  const { id } = await agents.create({ cli: "rough" });
  await agents.ask(id, prompt);
  await writeFile(join((await agents.get(id)).cwd, "turn-is-over"), "");
  return id;
}

const newsOf = (id: string) =>
  agents.kernel.events
    .all(UnaskedTurnFinished)
    .filter(({ subject }) => subject === id)
    .map(({ data }) => data);

test("words that come right after the answer to the prompt belong to it", async () => {
  const { id } = await agents.create({ cli: "rough" });
  const { body } = await agents.ask(id, "[[tail:world.]][[reply:Hello ]]");
  expect(body.answer).toBe("Hello world.");
  const said = (await agents.entries(id)).filter(
    ({ kind, role }) => kind === "text" && role === "assistant",
  );
  expect(said.map(({ text }) => text)).toEqual(["Hello world."]);
  expect(newsOf(id)).toEqual([]);
});

test("words that come later are a turn of their own", async () => {
  const id = await goOn("[[later:The build has finished.]][[reply:Started.]]");
  const text = "The build has finished.";
  const said = await agents.untilEntry(
    id,
    (entry) => entry.text === text,
    "it",
  );
  const [asked] = await agents.entries(id);
  expect(said.turnId).not.toBe(asked?.turnId);
  await agents.untilIdle(id);
  expect(newsOf(id)).toMatchObject([{ answer: text, error: null }]);
  // The next prompt is answered by itself.
  expect((await agents.ask(id, "[[reply:next]]")).body.answer).toBe("next");
});

test(
  "a tool that is reported later is one too, and names what was known of it",
  { tags: ["thorough"] },
  async () => {
    const call = { toolCallId: "x1", title: "npm test", status: "in_progress" };
    const over = {
      ...{ sessionUpdate: "tool_call_update", toolCallId: "x1" },
      ...{ status: "completed", rawOutput: "12 passed" },
    };
    const id = await goOn(
      `[[call:${JSON.stringify(call)}]][[reply:Started.]][[later-update:${JSON.stringify(over)}]]`,
    );
    const tool = await agents.untilEntry(
      id,
      ({ kind, text }) => kind === "tool" && text === "12 passed",
      "its end is there",
    );
    expect(tool.tool).toMatchObject({ title: "npm test", failed: false });
    await agents.untilIdle(id);
    expect(newsOf(id)).toHaveLength(1);
  },
);

test("a question outside of a prompt is asked, unless the agent was stopped", async () => {
  const id = await goOn("[[later-ask:git push]][[reply:Started.]]");
  const { dialog } = await agents.untilAgent(
    id,
    (agent) => agent.dialog !== null,
    "it asks",
  );
  await agents.kernel.api.post(`/api/agents/${id}/ui`, {
    ...{ dialogId: dialog?.id, optionId: "proceed_once" },
  });
  await agents.untilEntry(
    id,
    ({ text }) => text.includes("proceed_once"),
    "it has the answer",
  );
  await agents.untilIdle(id);
});

test(
  "plans, figures and unknown updates begin no turn",
  { tags: ["thorough"] },
  async () => {
    const plan = {
      sessionUpdate: "plan",
      entries: [{ content: "look", status: "pending" }],
    };
    const id = await goOn(
      `[[reply:a]][[later-update:{"sessionUpdate":"from_the_future"}]][[later-update:${JSON.stringify(plan)}]]`,
    );
    await agents.untilAgent(id, ({ state }) => state === "open", "it is open");
    expect((await agents.ask(id, "[[reply:b]]")).body.answer).toBe("b");
    expect(newsOf(id)).toEqual([]);
  },
);
