import { afterEach, expect, test, vi } from "vitest";
import { errors } from "../../src/errors.ts";
import { AppendedFile } from "../../src/transcript/appended-file.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { StoreOutage } from "../help/store-outage.ts";
import { until } from "@gantry/agent-kit/testing";

afterEach(() => void vi.restoreAllMocks());

/** An agent that is open in a terminal. */
async function start(fakeTime = false) {
  const memory = new MemoryDriver();
  const terminals = new FakeTerminals();
  const agents = await AgentsKernel.start({
    fakeTime,
    clis: memory.clis,
    beside: [memory.plugin, terminals.plugin],
  });
  const { id } = await agents.create({ cli: "memory" });
  await agents.kernel.api.post(`/api/agents/${id}/open`);
  return { agents, terminals, id };
}

test("a message for a screen that cannot be stored stays queued, and is sent with the next", async () => {
  const { agents, terminals, id } = await start();
  await using _agents = agents;
  agents.kernel.expectFault(/disk is full/);
  const write = vi
    .spyOn(AppendedFile.prototype, "write")
    .mockImplementation(() => Promise.reject(errors.AGENT_DISK_FULL()));
  await agents.prompt(id, "one");
  await until(() => write.mock.calls.length > 0, "it cannot be written down");
  await until(
    async () => (await agents.tasks(id))[0]?.status === "queued",
    "it waits",
  );
  expect(terminals.pasted).toEqual([]);
  write.mockRestore();
  await agents.prompt(id, "two");
  await until(() => terminals.pasted.length === 2, "both are pasted");
  expect(terminals.pasted).toEqual(["one", "two"]);
});

test("a message for a screen is sent once the store is back", async () => {
  const { agents, terminals, id } = await start(true);
  await using _agents = agents;
  agents.kernel.expectFault(/It is away/);
  const outage = new StoreOutage(agents);
  outage.refuses = (value) => value.includes('"status":"delivering"');
  await agents.prompt(id, "one");
  await until(() => outage.refused > 0, "the store refused it");
  outage.refuses = undefined;
  await until(async () => {
    await agents.kernel.clock.advance(5_000);
    return terminals.pasted.length === 1;
  }, "it is pasted");
});
