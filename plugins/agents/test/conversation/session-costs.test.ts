import { afterAll, beforeAll, expect, test } from "vitest";
import { definePlugin } from "@gantry/plugin";
import { AgentMessages } from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";

const NEVER = new AbortController().signal;
const runner = new Runner();
let messages: AgentMessages;
let agents: AgentsKernel;

beforeAll(async () => {
  const talker = definePlugin({
    id: "talker",
    api: 1,
    summary: "Talks to agents",
    mounts: [],
    needs: { messages: AgentMessages },
    setup: (ctx) => void (messages = ctx.needs.messages),
  });
  agents = await AgentsKernel.start({ beside: [runner.plugin, talker] });
});
afterAll(() => agents.kernel.stop());

const costOf = async (id: string) => (await agents.get(id)).usage.costUsd;

/** The practice agent reports what a session has cost in all. */
test("a message for an earlier session costs what its turn costs", async () => {
  const id = await runner.createAgent("practice");
  const { sessionId } = await runner.run(id, "[[cost:1]]");
  await runner.run(id, "[[cost:2]]");
  const message = { agentId: id, kind: "prompt", source: "test" } as const;
  await messages.prompt(
    { ...message, message: "[[cost:4]][[reply:back]]", sessionId: sessionId! },
    NEVER,
  );
  await agents.untilEntry(id, ({ text }) => text === "back", "back");
  await expect.poll(() => costOf(id)).toBe(7);
});

test("so does a branch from a message of an earlier session", async () => {
  const id = await runner.createAgent("practice");
  await runner.run(id, "[[cost:1]]");
  await runner.run(id, "[[cost:4]] more", { freshSession: false });
  await runner.run(id, "[[cost:2]]");
  const entry = (await agents.entries(id)).find(
    ({ role, text }) => role === "user" && text.includes("more"),
  );
  await agents.kernel.api.post(`/api/agents/${id}/fork`, {
    entryId: entry?.id,
  });
  await agents.ask(id, "[[cost:8]]");
  expect(await costOf(id)).toBe(15);
});
