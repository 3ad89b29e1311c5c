import { glob, readFile } from "node:fs/promises";
import { readEventStream } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import type { AgentView } from "../../src/records/agent-record.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { isAlive, until } from "../help/wait.ts";

const start = (agents: AgentsKernel, id: string) =>
  agents.kernel.api.post<{ code?: string; detail?: string }>(
    `/api/agents/${id}/managed/start`,
  );

/** Whether some process has this command line. */
async function isStarted(commandLine: string): Promise<boolean> {
  for await (const file of glob("/proc/[0-9]*/cmdline")) {
    const words = await readFile(file, "utf8").catch(() => "");
    if (words.split("\0").join(" ").trim() === commandLine) return true;
  }
  return false;
}

test("an agent at rest is closed after a while, and not before", async () => {
  await using agents = await AgentsKernel.start({ fakeTime: true });
  const { id } = await agents.create({ cli: "practice" });
  await agents.ask(id, "[[reply:hi]]");
  await agents.kernel.clock.advance(9 * 60_000);
  await agents.ask(id, "[[reply:still here]]");
  await agents.kernel.clock.advance(9 * 60_000);
  expect((await agents.get(id)).state).toBe("open");
  await agents.kernel.clock.advance(60_000);
  await agents.untilAgent(
    id,
    ({ state }) => state === "closed",
    "it is closed",
  );
  // It keeps its conversation, and no fault is reported.
  expect((await agents.ask(id, "[[recall]]")).body).toMatchObject({
    answer: expect.stringContaining("still here") as string,
  });
  expect(
    (await agents.entries(id)).some(
      ({ kind }) => kind === "notice" || kind === "error",
    ),
  ).toBe(false);
});

test("an agent that runs or waits for an answer is not closed", async () => {
  await using agents = await AgentsKernel.start({ fakeTime: true });
  const { id } = await agents.create({ cli: "practice" });
  await agents.prompt(id, "[[ask:Sure?]][[reply:yes]]");
  const { dialog } = await agents.untilAgent(
    id,
    (agent) => agent.dialog !== null,
    "a question is open",
  );
  await agents.kernel.clock.advance(60 * 60_000);
  expect(await agents.get(id)).toMatchObject({
    state: "open",
    activity: "waiting",
  });
  await agents.kernel.api.post(`/api/agents/${id}/ui`, {
    dialogId: dialog?.id,
    optionId: "once",
  });
  await agents.untilEntry(id, ({ text }) => text === "yes", "it continued");
});

test("the one that is idle longest makes room for another; running ones keep theirs", async () => {
  await using agents = await AgentsKernel.start({ limits: { openAgents: 2 } });
  const [first, second, third] = await Promise.all(
    [1, 2, 3].map(() => agents.create({ cli: "practice" })),
  );
  const ids = [first?.id ?? "", second?.id ?? "", third?.id ?? ""] as const;
  await agents.ask(ids[0], "[[reply:a]]");
  await agents.ask(ids[1], "[[reply:b]]");
  await agents.ask(ids[2], "[[reply:c]]");
  expect((await agents.get(ids[0])).state).toBe("closed");
  const busy = [ids[1], ids[2]].map((id) =>
    agents.ask(id, "[[ask:Sure?]][[reply:x]]"),
  );
  const dialogs = await Promise.all(
    [ids[1], ids[2]].map(async (id) => {
      const { dialog } = await agents.untilAgent(
        id,
        (agent) => agent.dialog !== null,
        "it asks",
      );
      return { id, dialogId: dialog?.id };
    }),
  );
  const refused = await start(agents, ids[0]);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: "AGENT_LIMIT_REACHED" },
  });
  expect(refused.body.detail).toContain("2 agents");
  for (const { id, dialogId } of dialogs)
    await agents.kernel.api.post(`/api/agents/${id}/ui`, {
      ...{ dialogId, optionId: "once" },
    });
  expect((await Promise.all(busy)).map(({ status }) => status)).toEqual([
    200, 200,
  ]);
  expect((await start(agents, ids[0])).status).toBe(200);
});

test("a daemon that stops ends every process, records what was, and loses no message", async () => {
  const agents = await AgentsKernel.start({
    clis: {
      stubborn: standIn("fake-pi", {
        FAKE_PI_STUBBORN: "1",
        FAKE_PI_HOME: "/tmp/gantry-stubborn",
      }),
    },
  });
  const quiet = await agents.create({ cli: "practice" });
  const loud = await agents.create({ cli: "stubborn" });
  const running = agents
    .ask(quiet.id, `[[run:echo $$ > ${quiet.cwd}/pid; sleep 300]]`)
    .catch(() => undefined);
  const hanging = agents
    .ask(loud.id, `[[run:echo $PPID > ${loud.cwd}/pid; sleep 300]]`)
    .catch(() => undefined);
  const { readFile } = await import("node:fs/promises");
  const pids = await Promise.all(
    [quiet, loud].map(({ cwd }) =>
      until(
        async () =>
          Number(await readFile(`${cwd}/pid`, "utf8").catch(() => "")),
        "it runs",
      ),
    ),
  );
  await agents.kernel.api.post(`/api/agents/${quiet.id}/tasks`, {
    payload: { message: "[[reply:later]]" },
  });
  const begun = performance.now();
  await agents.kernel.restart();
  expect(performance.now() - begun).toBeLessThan(9000);
  await Promise.all([running, hanging]);
  for (const pid of pids) await until(() => !isAlive(pid), "it is gone");
  expect(await agents.get(quiet.id)).toMatchObject({
    state: "closed",
    activity: "idle",
  });
  expect(await agents.get(loud.id)).toMatchObject({
    state: "closed",
    activity: "idle",
  });
  expect((await agents.tasks(quiet.id)).map(({ status }) => status)).toEqual([
    "queued",
    "delivered",
  ]);
  await agents.kernel.stop();
});

test("a start that is given up ends what was started", async () => {
  await using agents = await AgentsKernel.start({
    clis: { quiet: { driver: "acp", command: "/bin/sleep", args: ["300.25"] } },
  });
  const { id } = await agents.create({ cli: "quiet" });
  const starting = start(agents, id);
  await until(() => isStarted("/bin/sleep 300.25"), "the program runs");
  await agents.close(id);
  expect(await starting).toMatchObject({
    status: 409,
    body: { code: "AGENT_CLOSED" },
  });
  expect((await agents.get(id)).state).toBe("closed");
});

test("events report in order what an agent did while no client watched", async () => {
  await using agents = await AgentsKernel.start();
  const events = readEventStream(
    await agents.kernel.api.open("/api/events?types=agents.*"),
  );
  const { id } = await agents.create({ cli: "practice" });
  await agents.ask(id, "[[cost:0.1]][[reply:x]]");
  const types: string[] = [];
  await events.until(({ event }) => {
    if (event.startsWith("agents.")) types.push(event);
    return event === "agents.turn-finished";
  });
  await events.close();
  expect(types[0]).toBe("agents.agent-created");
  expect(
    types.filter((type) => type === "agents.agent-changed").length,
  ).toBeGreaterThanOrEqual(2);
});

test("a list of many agents reads no conversation", async () => {
  await using agents = await AgentsKernel.start();
  const made: AgentView[] = [];
  for (let count = 0; count < 30; count += 1)
    made.push(await agents.create({ cli: "practice", name: `Agent ${count}` }));
  const { rm, mkdir } = await import("node:fs/promises");
  const folder = `${agents.kernel.home}/data/agents/transcripts`;
  // A folder in the place of each file: reading one would fail.
  for (const { id } of made) {
    await rm(`${folder}/${id}.jsonl`, { force: true });
    await mkdir(`${folder}/${id}.jsonl`);
  }
  const { status, body } = await agents.kernel.api.get<{ items: AgentView[] }>(
    "/api/agents",
    { limit: 500 },
  );
  expect([status, body.items.length]).toEqual([200, 30]);
});
