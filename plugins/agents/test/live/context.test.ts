import { expect, test } from "vitest";
import { AgentChanged } from "../../src/contract.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { INIT, result, say } from "../help/claude-lines.ts";
import { temporaryFolder } from "../help/temporary.ts";

// How full the model's context is, as clients see it.

const FILLED = { usedTokens: 1200, sizeTokens: 200_000 };
const FILL = "[[context:1200:200000]]";

test("it is null at first, and outlives the session and the daemon", async () => {
  await using agents = await AgentsKernel.start();
  const { id, context } = await agents.create({ cli: "practice" });
  expect(context).toBeNull();
  const read = async () => (await agents.get(id)).context;
  await agents.ask(id, `${FILL}[[reply:a]]`);
  expect(await read()).toEqual(FILLED);
  await agents.close(id);
  expect(await read()).toEqual(FILLED);
  await agents.kernel.restart();
  expect(await read()).toEqual(FILLED);
  await agents.ask(id, "[[reply:b]]");
  expect(await read()).toEqual(FILLED);
});

test("only a report that changes something is stored, and one without a size keeps the one before", async () => {
  await using agents = await AgentsKernel.start();
  const { id } = await agents.create({ cli: "practice" });
  await agents.ask(id, "[[reply:a]]");
  const changes = () =>
    agents.kernel.events
      .all(AgentChanged)
      .filter(
        ({ subject, data }) =>
          subject === id && data.fields.includes("context"),
      ).length;
  const before = changes();
  await agents.ask(id, `${FILL}${FILL}[[context:1300]][[cost:1]][[reply:a]]`);
  expect(changes() - before).toBe(2);
  expect((await agents.get(id)).context).toEqual({
    ...{ usedTokens: 1300, sizeTokens: 200_000 },
  });
});

test("another branch and another conversation begin without it", async () => {
  await using agents = await AgentsKernel.start({
    clis: { forgets: standIn("rough-acp", { ROUGH_FORGETS: "1" }) },
  });
  const { id } = await agents.create({ cli: "practice" });
  await agents.ask(id, "[[reply:a]]");
  await agents.ask(id, `${FILL}[[reply:b]]`);
  const sent = (await agents.entries(id)).findLast(
    ({ role }) => role === "user",
  );
  await agents.kernel.api.post(`/api/agents/${id}/fork`, { entryId: sent?.id });
  expect((await agents.get(id)).context).toBeNull();

  const other = await agents.create({ cli: "forgets" });
  const update = { sessionUpdate: "usage_update", used: 5, size: 10 };
  const fill = `[[update:${JSON.stringify(update)}]]`;
  await agents.ask(other.id, `${fill}[[reply:a]]`);
  expect((await agents.get(other.id)).context).not.toBeNull();
  await agents.close(other.id);
  await agents.ask(other.id, "[[reply:b]]");
  expect((await agents.get(other.id)).context).toBeNull();
});

test("the size of one model is not taken for that of another", async () => {
  const said = (model: string, size?: number) => {
    const { message } = say("a") as { message: object };
    const usage = { input_tokens: 90, output_tokens: 10 };
    const modelUsage = size && { [model]: { contextWindow: size } };
    return [
      { ...INIT, model },
      { ...say("a"), message: { ...message, model, usage } },
      result("a", { ...(modelUsage && { modelUsage }) }),
    ];
  };
  const FAKE_CLAUDE_PLAY = JSON.stringify([said("one", 1000), said("two")]);
  await using agents = await AgentsKernel.start({
    clis: { claude: standIn("played-claude", { FAKE_CLAUDE_PLAY }) },
  });
  const { id } = await agents.create({ cli: "claude" });
  await agents.ask(id, "go");
  expect((await agents.get(id)).context?.sizeTokens).toBe(1000);
  await agents.ask(id, "go");
  const unsized = { usedTokens: 100, sizeTokens: null };
  expect((await agents.get(id)).context).toEqual(unsized);
});

test("it falls when the conversation is shrunk", async () => {
  const HOME = await temporaryFolder();
  await using agents = await AgentsKernel.start({
    clis: { claude: standIn("fake-claude", { HOME }) },
  });
  const { id } = await agents.create({ cli: "claude" });
  await agents.ask(id, "[[reply:a]]");
  await agents.kernel.api.post(`/api/agents/${id}/compact`);
  expect((await agents.get(id)).context?.usedTokens).toBe(643);
});

test("an agent that an earlier version stored has none", async () => {
  await using agents = await AgentsKernel.start();
  const { id } = await agents.create({ cli: "practice" });
  await agents.ask(id, `${FILL}[[reply:a]]`);
  await agents.close(id);
  const { engine } = agents.kernel.kernel.foundation.core;
  const key = `agents:agent:${id}`;
  const stored = (await engine.get(key)) as { data: { context?: unknown } };
  const { context, ...data } = stored.data;
  expect(context).toEqual(FILLED);
  await engine.commit([{ type: "set", key, value: { ...stored, data } }]);
  await agents.kernel.restart();
  expect((await agents.get(id)).context).toBeNull();
  expect((await agents.ask(id, "[[reply:b]]")).body.answer).toBe("b");
});
