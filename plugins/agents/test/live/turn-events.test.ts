import { beforeEach, describe, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { ScriptedCli } from "../help/scripted-cli.ts";
import { StoreOutage } from "../help/store-outage.ts";
import { until } from "../help/wait.ts";

let cli: ScriptedCli;

beforeEach(() => {
  cli = new ScriptedCli({ isReadable: true });
});

const start = () =>
  AgentsKernel.start({ clis: cli.clis, beside: [cli.plugin()] });

/** An agent whose first turn is over. */
async function finishFirst(agents: AgentsKernel) {
  const { id } = await agents.create({ cli: "scripted" });
  const first = agents.ask(id, "first");
  await until(() => cli.hasPrompt, "the first prompt is there");
  await cli.finish();
  return { id, answer: (await first).body.answer };
}

/** Begins a second turn, which is running when this resolves. */
async function beginSecond(agents: AgentsKernel, id: string) {
  const asked = agents.ask(id, "second");
  await until(() => cli.hasPrompt, "the second prompt is there");
  await cli.work();
  return { asked };
}

describe("what comes late for a turn that is over", () => {
  test("does not end the turn that runs", async () => {
    await using agents = await start();
    const { id, answer } = await finishFirst(agents);
    const { asked } = await beginSecond(agents, id);
    await cli.endLate();
    expect((await agents.get(id)).activity).toBe("working");
    await cli.finish();
    expect((await asked).body.answer).not.toBe(answer);
  });

  test("adds nothing to the conversation and opens no question", async () => {
    await using agents = await start();
    const { id } = await finishFirst(agents);
    const { asked } = await beginSecond(agents, id);
    await cli.sayLate("Too late.");
    await cli.askLate("Still allowed?");
    expect(await agents.get(id)).toMatchObject({
      activity: "working",
      dialog: null,
    });
    await until(() => cli.answers.length > 0, "the late question is answered");
    expect(cli.answers).toEqual([{ kind: "cancelled" }]);
    await cli.finish();
    await asked;
    const texts = (await agents.entries(id)).map(({ text }) => text);
    expect(texts).not.toContain("Too late.");
  });

  test("begins no turn", async () => {
    await using agents = await start();
    const { id } = await finishFirst(agents);
    await cli.startLate();
    expect((await agents.get(id)).activity).toBe("idle");
  });
});

describe("a store that takes nothing for a while", () => {
  test(
    "does not make a message failed that the CLI has",
    { tags: ["thorough"] },
    async () => {
      await using agents = await start();
      const outage = new StoreOutage(agents);
      const { id } = await agents.create({ cli: "scripted" });
      await agents.prompt(id, "hello");
      await until(() => cli.hasPrompt, "the prompt is there");
      outage.refuses = () => true;
      cli.confirm();
      await until(() => outage.refused > 0, "the store refused a write");
      outage.refuses = undefined;
      await until(
        async () => (await agents.tasks(id))[0]?.status === "delivered",
        "the message is delivered",
      );
      await cli.finish();
      await agents.untilIdle(id);
      expect(cli.seen).toEqual(["hello"]);
    },
  );

  test("does not lose the end of a turn and what it cost", async () => {
    await using agents = await start();
    const outage = new StoreOutage(agents);
    const { id } = await agents.create({ cli: "scripted" });
    const asked = agents.ask(id, "hello");
    await until(() => cli.hasPrompt, "the prompt is there");
    await cli.work();
    outage.refuses = (value) => value.includes("agents:turn:");
    const finishing = cli.finish();
    await until(() => outage.refused > 0, "the store refused the end");
    outage.refuses = undefined;
    await finishing;
    expect((await asked).status).toBe(200);
    expect((await agents.get(id)).activity).toBe("idle");
    const { body } = await agents.kernel.api.get<{ total: { turns: number } }>(
      "/api/usage",
    );
    expect(body.total.turns).toBe(1);
  });

  test("keeps a message that could not be noted, and sends it later", async () => {
    await using agents = await start();
    const outage = new StoreOutage(agents);
    const { id } = await agents.create({ cli: "scripted" });
    await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
    outage.refuses = (value) => value.includes('"activity":"working"');
    await agents.prompt(id, "hello");
    await until(() => outage.refused > 0, "the store refused the beginning");
    expect(cli.seen).toEqual([]);
    outage.refuses = undefined;
    await until(() => cli.hasPrompt, "the prompt is there");
    await cli.finish();
    await agents.untilIdle(id);
    expect((await agents.tasks(id))[0]?.status).toBe("delivered");
  });
});
