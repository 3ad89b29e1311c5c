import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DialogOpened } from "../../src/contract.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { copyCrashedHome } from "../help/copy-crashed-home.ts";
import { Runner } from "../help/runner.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { until } from "../help/wait.ts";

const runner = new Runner();
const createAgent = (cli: string) => runner.createAgent(cli);
const run: Runner["run"] = (...input) => runner.run(...input);
let agents: AgentsKernel;
let home: string;
const never = new AbortController().signal;

/** Messages of an agent that wait. */
const queued = async (id: string) =>
  (await agents.tasks(id)).filter(({ status }) => status === "queued");

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-runs-"));
  const pi = (env: Record<string, string> = {}) =>
    standIn("fake-pi", { FAKE_PI_HOME: home, ...env });
  agents = await AgentsKernel.start({
    beside: [runner.plugin],
    clis: {
      pi: pi(),
      rough: standIn("rough-acp"),
      stubborn: pi({ FAKE_PI_STUBBORN: "1" }),
      broken: pi({ FAKE_PI_REFUSE: "cannot find my brain" }),
      gone: { driver: "acp", command: "no-such-agent-anywhere" },
    },
    limits: { openAgents: 50, abortMs: 300 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

describe("a permission in a run", () => {
  test("is rejected, reported, and fails a run that ends without an answer", async () => {
    const id = await createAgent("practice");
    const outcome = await run(id, "[[ask:Delete all?]][[reply:deleted]]");
    expect(outcome).toMatchObject({
      failure: "permission-needed",
      permissionsAsked: ["Delete all?"],
      permissionsRefused: ["Delete all?"],
    });
    expect(outcome.message).toContain("Delete all?");
    expect(
      agents.kernel.events
        .all(DialogOpened)
        .filter(({ subject }) => subject === id),
    ).toEqual([]);
    expect(await agents.entries(id)).toContainEqual(
      expect.objectContaining({
        kind: "dialog",
        dialog: expect.objectContaining({
          answer: expect.stringContaining("policy") as string,
        }) as object,
      }),
    );
  });

  test("that is rejected does not fail a run with an answer", async () => {
    const outcome = await run(await createAgent("rough"), "[[ask:rm -rf /]]");
    expect(outcome.failure).toBeNull();
    expect(outcome.message).toContain('"cancel"');
    expect(outcome.permissionsRefused).toEqual(["rm -rf /"]);
  });

  test("is allowed once for the tools that are named, never for longer", async () => {
    const permissions = { mode: "allow-once", tools: ["Execute"] } as const;
    const outcome = await run(await createAgent("rough"), "[[ask:ls]]", {
      permissions,
    });
    expect(outcome.message).toContain("proceed_once");
    const other = await run(await createAgent("rough"), "[[ask:ls]]", {
      permissions: { mode: "allow-once", tools: ["edit"] },
    });
    expect(other.message).toContain('"cancel"');
  });
});

describe("around runs", () => {
  test("what can be known before", async () => {
    const inspect = (agentId: string) =>
      runner.service.inspect({ agentId }, never);
    expect(await inspect("agt_aaaaaaaaaaaaaaaaaaaaaaaa")).toMatchObject({
      exists: false,
    });
    expect(await inspect(await createAgent("gone"))).toMatchObject({
      exists: true,
      cliInstalled: false,
    });
    const id = await createAgent("practice");
    expect(await inspect(id)).toEqual({
      exists: true,
      cliInstalled: true,
      busy: false,
      inTerminal: false,
      reportsCost: true,
    });
    expect(await inspect(await createAgent("rough"))).toMatchObject({
      reportsCost: false,
    });
    const outcome = run(id, "[[sleep:300]][[reply:x]]");
    await agents.untilWorking(id);
    expect((await inspect(id)).busy).toBe(true);
    await outcome;
    expect((await inspect(id)).busy).toBe(false);
  });

  test("an agent that is busy for the user is left alone", async () => {
    const id = await createAgent("practice");
    const asked = agents.ask(id, "[[sleep:300]][[reply:mine]]");
    await agents.untilWorking(id);
    expect(await run(id, "[[reply:theirs]]")).toMatchObject({
      failure: "agent-error",
    });
    expect((await asked).body.answer).toBe("mine");
  });

  test("one that is open and at rest is closed for a fresh run", async () => {
    const id = await createAgent("practice");
    await agents.ask(id, "[[reply:hello]]");
    expect(await run(id, "[[recall]]")).toMatchObject({ failure: null });
    expect((await agents.get(id)).state).toBe("closed");
  });

  test("a message joins an agent that is open, and it stays open", async () => {
    const id = await createAgent("practice");
    const asked = agents.ask(id, "[[sleep:200]][[reply:first]]");
    await agents.untilWorking(id);
    const outcome = await run(id, "[[ask:Sure?]][[reply:second]]", {
      freshSession: false,
    });
    expect(outcome).toMatchObject({ failure: "permission-needed" });
    expect((await asked).body.answer).toBe("first");
    expect((await agents.get(id)).state).toBe("open");
    await agents.close(id);
  });

  test("a message to a closed agent continues its conversation, and closes it again", async () => {
    const id = await createAgent("practice");
    await agents.ask(id, "[[reply:hello]]");
    await agents.close(id);
    const { sessionId } = await agents.get(id);
    const outcome = await run(id, "[[cost:0.2]][[recall]]", {
      freshSession: false,
    });
    expect(outcome).toMatchObject({
      failure: null,
      sessionId,
      usage: { costUsd: 0.2 },
    });
    expect(outcome.message).toContain("hello");
    expect(await agents.get(id)).toMatchObject({ state: "closed", sessionId });
    const said = (await agents.entries(id)).map(({ text }) => text);
    expect(said.join("\n")).toContain("[[recall]]");
  });

  test("a message that is cancelled while it waits is taken back, and the user's turn continues", async () => {
    const id = await createAgent("practice");
    const asked = agents.ask(id, "[[sleep:300]][[reply:mine]]");
    await agents.untilWorking(id);
    const stop = new AbortController();
    const outcome = runner.run(
      id,
      "[[reply:theirs]]",
      { freshSession: false },
      stop.signal,
    );
    await until(async () => (await queued(id)).length === 1, "it waits");
    stop.abort();
    expect(await outcome).toMatchObject({ failure: "cancelled" });
    expect((await asked).body.answer).toBe("mine");
    expect(await queued(id)).toEqual([]);
    await agents.ask(id, "[[reply:after]]");
    const said = (await agents.entries(id)).map(({ text }) => text);
    expect(said.join("\n")).not.toContain("theirs");
    await agents.close(id);
  });

  test("a message that waits when the user closes the agent is not sent later", async () => {
    const id = await createAgent("practice");
    void agents.ask(id, "[[sleep:20000]]");
    await agents.untilDelivered(id);
    const outcome = run(id, "[[reply:theirs]]", { freshSession: false });
    await until(async () => (await queued(id)).length === 1, "it waits");
    await agents.close(id);
    expect(await outcome).toMatchObject({ failure: "cancelled" });
    expect(await queued(id)).toEqual([]);
  });

  test("a message that waits when the daemon is killed is not sent by the next one", async () => {
    const id = await createAgent("practice");
    const asked = agents.ask(id, "[[sleep:500]][[reply:mine]]");
    await agents.untilWorking(id);
    const outcome = run(id, "[[reply:theirs]]", { freshSession: false });
    await until(async () => (await queued(id)).length === 1, "it waits");
    const image = await temporaryFolder();
    copyCrashedHome(agents.kernel.home, image);
    await asked;
    await outcome;
    await agents.close(id);
    const next = await AgentsKernel.start({ home: image });
    const { body } = await next.kernel.api.get<{
      items: { source: string; status: string }[];
    }>(`/api/agents/${id}/tasks`);
    expect(body.items).toContainEqual(
      expect.objectContaining({ source: "automation", status: "cancelled" }),
    );
    await next.kernel.stop();
  });

  test("what the user says meanwhile waits, and is answered afterwards", async () => {
    const id = await createAgent("practice");
    const outcome = run(id, "[[sleep:300]][[reply:the run]]");
    await agents.untilWorking(id);
    expect(
      (await agents.kernel.api.post(`/api/agents/${id}/managed/start`)).body,
    ).toMatchObject({ code: "AGENT_RUNNING" });
    expect((await agents.prompt(id, "[[reply:the user]]")).delivery).toBe(
      "queued",
    );
    expect((await outcome).message).toBe("the run");
    await agents.untilEntry(
      id,
      ({ text }) => text === "the user",
      "the user is answered",
    );
    expect((await agents.get(id)).state).toBe("open");
    await agents.close(id);
  });

  test("a request does not wait for the end of a run that is only about to begin", async () => {
    const id = await createAgent("practice");
    const outcome = run(id, "[[sleep:60000]]");
    const { api } = agents.kernel;
    for (const path of ["managed/start", "compact"])
      expect(await api.post(`/api/agents/${id}/${path}`), path).toMatchObject({
        status: 409,
        body: { code: "AGENT_RUNNING" },
      });
    expect((await agents.prompt(id, "[[reply:the user]]")).delivery).toBe(
      "queued",
    );
    await agents.close(id);
    expect(await outcome).toMatchObject({ failure: "cancelled" });
    await agents.close(id);
  });

  test("the agent of an automation is renamed and re-aimed", async () => {
    const id = await createAgent("practice");
    const { automationId, cwd } = await agents.get(id);
    const input = {
      agentId: id,
      automationId: automationId ?? "",
      name: "Renamed",
      model: null,
    };
    await runner.service.updateAgent({ ...input, cwd: null }, never);
    expect(await agents.get(id)).toMatchObject({
      name: "Renamed",
      cwd,
      cli: "practice",
      automationId,
    });
    await runner.service.updateAgent(
      { ...input, cli: "rough", cwd: home },
      never,
    );
    expect(await agents.get(id)).toMatchObject({ cli: "rough", cwd: home });
    // The one that an agent gets to which none is given.
    const { body } = await agents.kernel.api.get<{
      items: { name: string; isDefault: boolean }[];
    }>("/api/agents/clis");
    const cli = body.items.find(({ isDefault }) => isDefault)?.name;
    const cleared = { ...input, cli: null, cwd: home };
    await runner.service.updateAgent(cleared, never);
    expect(await agents.get(id)).toMatchObject({ cli });
  });

  test.each([
    ["pi", true],
    ["practice", false],
  ])("an agent of %s that is to change nothing: %s", async (cli, readOnly) => {
    const { agentId } = await runner.service.createAgent(
      {
        automationId: "drf_1",
        name: "Reader",
        cli,
        model: null,
        cwd: null,
        readOnly: true,
      },
      never,
    );
    expect(await agents.get(agentId)).toMatchObject({ readOnly });
  });

  test(
    "many runs of many agents do not get into each other's way",
    { tags: "thorough" },
    async () => {
      const ids = await Promise.all(
        Array.from({ length: 6 }, () => createAgent("practice")),
      );
      const outcomes = await Promise.all(
        ids.map((id, index) =>
          run(id, `[[long:20:2]][[run:true]][[reply:I am ${index}]]`),
        ),
      );
      expect(outcomes.map(({ message }) => message)).toEqual(
        ids.map((_, index) => `I am ${index}`),
      );
    },
  );
});
