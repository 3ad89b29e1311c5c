import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { leaveAtOnce } from "../help/leave-at-once.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { until } from "../help/wait.ts";

// What a client asked for is done, also if the client does not wait for its answer.

let home: string;
let agents: AgentsKernel;
const memory = new MemoryDriver();

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-leaving-"));
  agents = await AgentsKernel.start({
    clis: { ...memory.clis, pi: standIn("fake-pi", { FAKE_PI_HOME: home }) },
    beside: [memory.plugin],
    limits: { abortMs: 2_000 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

/** Reads take a moment, as they do of a store on another machine: the client has left when the handler continues. */
function slowReads(): void {
  const { engine } = agents.kernel.kernel.foundation.core;
  const { get } = engine;
  engine.get = async (key) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return await get.call(engine, key);
  };
  onTestFinished(() => void (engine.get = get));
}

test("an answer reaches the CLI", { tags: "thorough" }, async () => {
  slowReads();
  for (let round = 0; round < 5; round += 1) {
    const { id } = await agents.create({ cli: "pi" });
    const asked = agents.ask(id, "[[ask:Sure?]][[reply:sure]]");
    const { dialog } = await agents.untilAgent(
      id,
      (agent) => agent.dialog !== null,
      "it asks",
    );
    const option = dialog?.options.find(({ kind }) => kind === "allow");
    const answer = { dialogId: dialog?.id, optionId: option?.id };
    // Some are gone before the daemon has read what they sent.
    await until(async () => {
      await leaveAtOnce(agents, `/api/agents/${id}/ui`, answer);
      return (await agents.get(id)).dialog === null;
    }, "the question is closed");
    expect((await asked).body.answer).toBe("sure");
  }
});

test("a stop stops the turn, and not the CLI", async () => {
  slowReads();
  const { id } = await agents.create({ cli: "pi" });
  const asked = agents.ask(id, "[[long:5000:5]]");
  await agents.untilWorking(id);
  await until(async () => {
    await leaveAtOnce(agents, `/api/agents/${id}/abort`, {});
    return (await agents.get(id)).activity === "idle";
  }, "the turn is over");
  expect((await asked).body.stopReason).toBe("cancelled");
  expect((await agents.get(id)).state).toBe("open");
});

test("messages wait until a conversation is shrunk", async () => {
  const { id } = await agents.create({ cli: "memory" });
  await agents.ask(id, "one");
  await until(async () => {
    await leaveAtOnce(agents, `/api/agents/${id}/compact`, {});
    return memory.compacting.length > 0;
  }, "it is shrinking");
  await agents.prompt(id, "two");
  expect((await agents.tasks(id))[0]?.status).toBe("queued");
  for (const release of memory.compacting.splice(0)) release();
  await until(
    async () => (await agents.tasks(id))[0]?.status === "delivered",
    "the message is delivered",
  );
});
