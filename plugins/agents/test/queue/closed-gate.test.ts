import { definePlugin } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { AgentGate } from "../../src/agents/agent-gate.ts";
import { Attachments } from "../../src/queue/attachments.ts";
import { TaskBook } from "../../src/queue/task-book.ts";
import { openRecords, type Records } from "../../src/records/records.ts";
import { AgentStreams } from "../../src/stream/agent-streams.ts";
import { temporaryFolder } from "../help/temporary.ts";

test("no task is written while its agent is being deleted", async () => {
  let records: Records | undefined;
  const plugin = definePlugin({
    id: "tasks",
    api: 1,
    summary: "Has a store",
    mounts: [],
    setup: (ctx) => void (records = openRecords(ctx.store)),
  });
  await using kernel = await startTestKernel([plugin]);
  const gate = new AgentGate();
  const book = new TaskBook({
    ...{ gate, clock: kernel.clock, records: records! },
    attachments: await Attachments.create(await temporaryFolder()),
    streams: new AgentStreams(),
  });
  const agentId = "agt_1";
  const add = (message: string) =>
    book.add({
      ...{ agentId, message, source: "test" },
      ...{ kind: "prompt", startsAgent: true },
    });
  const queued = await add("queued");
  const delivered = await add("x".repeat(1000));
  await book.settle(delivered, "delivered", null);
  const tasks = records!.tasks;
  const before = (await tasks.list({ limit: 10 })).items;

  await gate.close(agentId);
  expect(await book.claim(queued, "trn_1")).toBeUndefined();
  await book.settle(queued, "failed", "It failed.");
  await book.close(delivered.id);
  await book.requeue(delivered.id);
  await expect(
    book.cancel(agentId, queued.id, undefined),
  ).rejects.toMatchObject({ code: "AGENT_TASK_NOT_FOUND" });
  await expect(add("later")).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
  expect((await tasks.list({ limit: 10 })).items).toEqual(before);
});
