import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { copyCrashedHome } from "../help/copy-crashed-home.ts";
import { ScriptedCli, until } from "@gantry/agent-kit/testing";
import { StoreOutage } from "../help/store-outage.ts";
import { temporaryFolder } from "../help/temporary.ts";

// A CLI may report usage of a turn after the end of the turn.

let cli: ScriptedCli;

beforeEach(() => {
  cli = new ScriptedCli({ isReadable: true });
});

const start = (home?: string) =>
  AgentsKernel.start({
    clis: cli.clis,
    beside: [cli.plugin()],
    ...(home !== undefined && { home }),
  });

/** An agent whose first turn has ended and cost 1 USD. */
async function createUsed(agents: AgentsKernel): Promise<string> {
  const { id } = await agents.create({ cli: "scripted" });
  const first = agents.ask(id, "first");
  await until(() => cli.hasPrompt, "the first prompt is there");
  await cli.spend(1);
  await cli.finish();
  await first;
  return id;
}

test("is counted after an outage of the store", async () => {
  await using agents = await start();
  const outage = new StoreOutage(agents);
  const id = await createUsed(agents);
  outage.refuses = () => true;
  const spent = cli.spendLate(2);
  await until(() => outage.refused > 0, "the store refused it");
  outage.refuses = undefined;
  await spent;
  expect((await agents.get(id)).usage.costUsd).toBe(3);
  expect(await agents.charged()).toBe(3);
});

test("does not hide the cost of the next turn before a crash", async () => {
  const root = await temporaryFolder();
  const left = join(root, "left");
  {
    await using agents = await start(join(root, "home"));
    const id = await createUsed(agents);
    await agents.prompt(id, "second");
    await until(() => cli.hasPrompt, "the second prompt is there");
    await cli.spend(4);
    await cli.spendLate(2);
    copyCrashedHome(agents.kernel.home, left);
    cli.crash();
  }
  await using agents = await start(left);
  expect(await agents.charged()).toBe(7);
});

test.each([
  ["that was handed over", () => undefined],
  ["that the CLI confirmed", () => cli.promise()],
])("of a message %s is counted when the agent is closed", async (_, act) => {
  await using agents = await start();
  const { id } = await agents.create({ cli: "scripted" });
  await agents.prompt(id, "hello");
  await until(() => cli.hasPrompt, "the prompt is there");
  act();
  await cli.spend(4);
  await agents.close(id);
  expect(await agents.charged()).toBe(4);
  // It was worked on, although the CLI did not write it down.
  const [task] = await agents.tasks(id);
  expect(task?.status).toBe("delivered");
});
