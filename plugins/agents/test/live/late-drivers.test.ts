import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { copyCrashedHome } from "../help/copy-crashed-home.ts";
import { Runner } from "../help/runner.ts";
import { ScriptedCli, until } from "@gantry/agent-kit/testing";
import { temporaryFolder } from "../help/temporary.ts";

// The driver of the agent belongs to another plugin, which adds it after this plugin has started.

let cli: ScriptedCli;

beforeEach(() => {
  cli = new ScriptedCli({ isReadable: true });
});

const start = (home: string, beside = [cli.plugin()]) =>
  AgentsKernel.start({
    home,
    clis: cli.clis,
    beside,
    limits: { abortMs: 100 },
  });

/** The home that a kill of the daemon leaves while "hello" is being delivered. */
async function createLeft(
  act: () => void,
  status: string,
): Promise<{ home: string; id: string }> {
  const root = await temporaryFolder();
  const home = join(root, "left");
  await using agents = await start(join(root, "home"));
  const { id } = await agents.create({ cli: "scripted" });
  await agents.prompt(id, "hello");
  await until(() => cli.hasPrompt, "the prompt is there");
  act();
  await until(
    async () => (await agents.tasks(id))[0]?.status === status,
    `it is ${status}`,
  );
  copyCrashedHome(agents.kernel.home, home);
  cli.crash();
  return { home, id };
}

const statusOf = async (agents: AgentsKernel, id: string) =>
  (await agents.tasks(id)).map(({ status }) => status);

const said = async (agents: AgentsKernel, id: string) =>
  (await agents.entries(id)).flatMap(({ role, text }) =>
    role === "user" ? [text] : [],
  );

describe.each([
  ["handed over", () => undefined, "delivering"],
  ["confirmed", () => cli.promise(), "delivered"],
])("a message that was %s, and that the CLI does not have", (_, act, left) => {
  test("is queued, and sent and shown once", async () => {
    const { home, id } = await createLeft(act, left);
    await using agents = await start(home);
    expect(await statusOf(agents, id)).toEqual(["queued"]);
    expect(await said(agents, id)).toEqual([]);
    const [task] = await agents.tasks(id);
    const { state, cutOff } = await agents.get(id);
    expect(state).toBe("closed");
    expect(cutOff).toMatchObject({ queuedTaskId: task?.id });

    cli.isWilling = true;
    await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
    await until(() => cli.seen.length > 0, "it is sent again");
    await agents.untilIdle(id);
    expect(cli.seen).toEqual(["hello"]);
    expect(await said(agents, id)).toEqual(["hello"]);
  });

  test("is settled when the agent is started with its driver", async () => {
    const { home, id } = await createLeft(act, left);
    for (const _start of ["first", "second"]) {
      await using agents = await start(home, []);
      expect(await agents.get(id)).toMatchObject({
        state: "closed",
        activity: "idle",
        cutOff: null,
      });
      expect(await statusOf(agents, id)).toEqual([left]);
      const { body } = await agents.kernel.api.post(
        `/api/agents/${id}/managed/start`,
      );
      expect(body).toMatchObject({ code: "AGENT_CLI_MISSING" });
    }
    await using agents = await start(home);
    expect(await statusOf(agents, id)).toEqual(["queued"]);
  });
});

test("a message that the CLI has counts as delivered", async () => {
  const { home, id } = await createLeft(() => cli.read(), "delivering");
  await using agents = await start(home);
  expect(await statusOf(agents, id)).toEqual(["delivered"]);
  expect(await said(agents, id)).toEqual(["hello"]);
});

test("recovery does not wait for an agent whose CLI is no longer configured", async () => {
  const { home, id } = await createLeft(() => undefined, "delivering");
  await using agents = await AgentsKernel.start({ home });
  await agents.untilAgent(id, ({ cutOff }) => cutOff !== null, "it is decided");
  expect(await statusOf(agents, id)).toEqual(["failed"]);
});

describe("a message of a run, which the CLI confirmed and does not have", () => {
  /** The home that a kill of the daemon leaves during the turn of a run. */
  async function createLeftRun(): Promise<{ home: string; id: string }> {
    const root = await temporaryFolder();
    const home = join(root, "left");
    const runner = new Runner();
    await using agents = await start(join(root, "home"), [
      cli.plugin(),
      runner.plugin,
    ]);
    const { id } = await agents.create({ cli: "scripted" });
    await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
    const more = { freshSession: false, runId: "run_1" };
    const killed = new AbortController();
    const outcome = runner.run(id, "hello", more, killed.signal);
    await until(() => cli.hasPrompt, "the prompt is there");
    cli.promise();
    await until(
      async () => (await agents.tasks(id))[0]?.status === "delivered",
      "it is delivered",
    );
    await cli.spend(2);
    copyCrashedHome(agents.kernel.home, home);
    killed.abort();
    await outcome;
    cli.crash();
    return { home, id };
  }

  test("is settled without the driver, so that the cost of the run is known at once", async () => {
    const { home, id } = await createLeftRun();
    const runner = new Runner();
    await using agents = await start(home, [runner.plugin]);
    expect(await statusOf(agents, id)).toEqual(["delivered"]);
    const recalled = await runner.service.recall(
      { runId: "run_1" },
      AbortSignal.timeout(5_000),
    );
    expect(recalled?.usage.costUsd).toBe(2);
  });

  test("is not sent again when the driver is available", async () => {
    const { home, id } = await createLeftRun();
    // A driver of this plugin's own, which finds no record.
    const scripted = { driver: "pi", command: process.execPath };
    await using agents = await AgentsKernel.start({
      home,
      clis: { scripted },
    });
    expect(await statusOf(agents, id)).toEqual(["delivered"]);
    expect((await agents.get(id)).cutOff).toMatchObject({ queuedTaskId: null });
  });
});
