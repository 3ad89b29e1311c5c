import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { temporaryFolder } from "../help/temporary.ts";

let memory: MemoryDriver;
let agents: AgentsKernel;
beforeAll(async () => {
  memory = new MemoryDriver();
  agents = await AgentsKernel.start({
    clis: memory.clis,
    beside: [memory.plugin],
  });
});
afterAll(() => agents.kernel.stop());

const look = async (id: string) =>
  (await agents.kernel.api.get<{ isMemoryLost: boolean }>(`/api/agents/${id}`))
    .body.isMemoryLost;

test("an agent says that its CLI has lost the conversation, before anything is sent", async () => {
  const cwd = await temporaryFolder();
  const { id } = await agents.create({ cli: "memory", cwd });
  expect(await look(id)).toBe(false);
  await agents.ask(id, "one");
  expect(await look(id)).toBe(false);
  await agents.close(id);
  expect(await look(id)).toBe(false);
  memory.sessions.clear();
  expect(await look(id)).toBe(true);
  await agents.ask(id, "two");
  await agents.close(id);
  expect(await look(id)).toBe(false);
});
