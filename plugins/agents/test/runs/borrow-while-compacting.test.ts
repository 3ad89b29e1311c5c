import { expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { Runner } from "../help/runner.ts";
import { until } from "@gantry/agent-kit/testing";

test("a report-only run waits for the end of a compaction, and blocks nothing else meanwhile", async () => {
  const memory = new MemoryDriver();
  const runner = new Runner();
  const asksFirst = { args: [], env: {}, files: {} };
  await using agents = await AgentsKernel.start({
    clis: { memory: { ...memory.clis["memory"]!, asksFirst } },
    beside: [memory.plugin, runner.plugin],
  });
  const { id } = await agents.create({ cli: "memory" });
  await agents.ask(id, "one");
  const compacting = agents.kernel.api.post(`/api/agents/${id}/compact`);
  await until(() => memory.compacting.length === 1, "it compacts");
  const outcome = runner.run(id, "two", {
    freshSession: false,
    permissions: { mode: "report-only", tools: [] },
  });
  await agents.get(id);
  memory.compacting.pop()?.();
  expect((await compacting).status).toBe(200);
  expect(await outcome).toMatchObject({ failure: null, message: "one | two" });
});
