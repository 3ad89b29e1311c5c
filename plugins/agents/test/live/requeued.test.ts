import { expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { ScriptedCli, until } from "@gantry/agent-kit/testing";
import { StoreOutage } from "../help/store-outage.ts";

test("a message that its CLI did not store is queued again, also if its delivery is stored late", async () => {
  const cli = new ScriptedCli({ isReadable: true });
  await using agents = await AgentsKernel.start({
    clis: cli.clis,
    beside: [cli.plugin()],
  });
  const outage = new StoreOutage(agents);
  const { id } = await agents.create({ cli: "scripted" });
  await agents.prompt(id, "hello");
  await until(() => cli.hasPrompt, "the prompt is there");
  outage.refuses = (value) => value.includes('"status":"delivered"');
  // It confirms the prompt and is closed before it stores it.
  cli.promise();
  await until(() => outage.refused > 0, "the delivery could not be stored");
  const closed = agents.close(id);
  await until(() => cli.lookups > 0, "its record is read");
  outage.refuses = undefined;
  await closed;
  expect((await agents.entries(id)).map(({ role }) => role)).not.toContain(
    "user",
  );
  await until(
    async () => (await agents.tasks(id))[0]?.status !== "delivering",
    "it is decided",
  );
  expect((await agents.tasks(id))[0]?.status).toBe("queued");
  cli.isWilling = true;
  await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
  await until(() => cli.seen.length > 0, "it is sent again");
  expect(cli.seen).toEqual(["hello"]);
});
