import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { Runner } from "../help/runner.ts";
import { until } from "../help/wait.ts";

const runner = new Runner();
const terminals = new FakeTerminals();
let agents: AgentsKernel;

beforeAll(async () => {
  agents = await AgentsKernel.start({
    beside: [runner.plugin, terminals.plugin],
  });
});
afterAll(() => agents.kernel.stop());

const openTerminal = (id: string) =>
  agents.kernel.api.post<{ code?: string }>(`/api/agents/${id}/open`);
const queued = async (id: string) =>
  (await agents.tasks(id)).filter(({ status }) => status === "queued");
const message = { freshSession: false };

describe("a terminal that is opened after the run was admitted", () => {
  test.each([true, false])(
    "keeps the run from beginning, freshSession %s",
    async (freshSession) => {
      const id = await runner.createAgent("practice");
      expect((await openTerminal(id)).status).toBe(200);
      expect(
        await runner.run(id, "[[reply:no]]", { freshSession }),
      ).toMatchObject({
        failure: "agent-in-terminal",
        usage: { costUsd: null },
      });
      expect(terminals.pasted).toEqual([]);
    },
  );

  test("keeps a message from being delivered that waits for the user's turn", async () => {
    const { id } = await agents.create({ cli: "practice" });
    void agents.ask(id, "[[sleep:20000]]");
    const isDelivered = async () =>
      (await agents.tasks(id)).some(({ status }) => status === "delivered");
    await until(isDelivered, "the CLI has the first message");
    const outcome = runner.run(id, "[[reply:theirs]]", message);
    await until(async () => (await queued(id)).length === 1, "it waits");
    expect((await openTerminal(id)).status).toBe(200);
    expect(await outcome).toMatchObject({ failure: "agent-in-terminal" });
    expect(await queued(id)).toEqual([]);
    expect(terminals.pasted).toEqual([]);
  });

  test("is refused while the agent answers the run's message", async () => {
    const { id } = await agents.create({ cli: "practice" });
    await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
    const prompt = "[[sleep:500]][[reply:theirs]]";
    const outcome = runner.run(id, prompt, message);
    await agents.untilWorking(id);
    expect(await openTerminal(id)).toMatchObject({
      status: 409,
      body: { code: "AGENT_RUNNING" },
    });
    expect(await outcome).toMatchObject({ failure: null, message: "theirs" });
    expect((await openTerminal(id)).status).toBe(200);
  });
});
