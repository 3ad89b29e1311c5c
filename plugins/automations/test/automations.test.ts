import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { AutomationChanged, AutomationCreated } from "../src/contract.ts";
import { refusal } from "./support/fake-agents.ts";
import { daily, startBench } from "./support/start.ts";

const UNKNOWN = `aut_${"a".repeat(24)}`;

test("an automation is created with all that was not said set to its default", async () => {
  await using bench = await startBench();
  const automation = await bench.create();
  expect(automation).toEqual({
    id: expect.stringMatching(/^aut_[a-z2-7]{24}$/),
    createdAt: "2026-03-02T12:00:00.000Z",
    days: [],
    updatedAt: "2026-03-02T12:00:00.000Z",
    revision: 1,
    name: "Morning brief",
    enabled: true,
    mode: "start",
    workspace: null,
    targetAgentId: null,
    agentId: bench.agents.made[0]!.agentId,
    cli: null,
    model: null,
    prompt: "Say what is new.",
    schedules: [],
    webhook: false,
    webhookSecretCreatedAt: null,
    webhookSecretRevokedAt: null,
    limits: {
      maxCostUsd: null,
      maxRunsPerHour: null,
      maxRunsPerDay: null,
      maxRunsPerWeek: null,
    },
    permissions: { mode: "reject", tools: [] },
    notifyUrl: null,
    notifyFailure: null,
    timeoutMs: 7_200_000,
    nextRunAt: null,
    activeRunId: null,
    lastRun: null,
  });
  expect(await bench.get(automation.id)).toEqual(automation);
  expect(bench.kernel.events.all(AutomationCreated)).toMatchObject([
    { subject: automation.id, data: { name: "Morning brief" } },
  ]);
});

test("its agent takes its name, CLI, model and folder", async () => {
  await using bench = await startBench();
  const automation = await bench.create({
    name: "Nightly tests",
    cli: "pi",
    model: "some/model",
    workspace: "/work/project",
  });
  expect(bench.agents.made).toEqual([
    {
      automationId: automation.id,
      agentId: automation.agentId,
      name: "Nightly tests",
      cli: "pi",
      model: "some/model",
      cwd: "/work/project",
    },
  ]);
  await bench.kernel.api.patch(`/api/automations/${automation.id}`, {
    name: "Weekly tests",
    workspace: null,
  });
  expect(bench.agents.updates).toMatchObject([
    { agentId: automation.agentId, name: "Weekly tests", cwd: null, cli: "pi" },
  ]);
  // Without a change of its fields, the agent is not updated, since it may be running.
  await bench.kernel.api.patch(`/api/automations/${automation.id}`, {
    name: "Weekly tests",
    prompt: "Other.",
  });
  expect(bench.agents.updates).toHaveLength(1);
});

test("what the agents refuse, such as an unknown CLI, is refused and changes nothing", async () => {
  await using bench = await startBench();
  const kept = await bench.create();
  bench.agents.refusal = refusal("AGENT_CLI_UNKNOWN");
  const { api } = bench.kernel;
  const input = { name: "Other", prompt: "Do it.", cli: "nope" };
  expect(await api.post("/api/automations", input)).toMatchObject({
    status: 400,
    body: { code: "AGENT_CLI_UNKNOWN" },
  });
  const path = `/api/automations/${kept.id}`;
  expect(await api.patch(path, { cli: "nope" })).toMatchObject({
    status: 400,
    body: { code: "AGENT_CLI_UNKNOWN" },
  });
  const { body } = await api.get<{ items: object[] }>("/api/automations");
  expect(body.items).toEqual([kept]);
});

test("a folder or CLI that the agents refuse is named by the field of the automation", async () => {
  await using bench = await startBench();
  const { id } = await bench.create();
  const { api } = bench.kernel;
  for (const [code, path, field] of [
    ["AGENT_FOLDER_INVALID", "cwd", "workspace"],
    ["AGENT_CLI_UNKNOWN", "cli", "cli"],
  ] as const) {
    bench.agents.refusal = refusal(code, path);
    const input = { [field]: "/nowhere" };
    const expected = {
      status: 400,
      body: { code, errors: [{ path: field, message: "no" }] },
    };
    expect(
      await api.post("/api/automations", { name: "x", prompt: "y", ...input }),
    ).toMatchObject(expected);
    expect(await api.patch(`/api/automations/${id}`, input)).toMatchObject(
      expected,
    );
  }
});

test("what was refused under a key may be tried again under it", async () => {
  await using bench = await startBench();
  const { api } = bench.kernel;
  const create = () =>
    api.post(
      "/api/automations",
      { name: "One", prompt: "Go.", workspace: "/made/later" },
      { "idempotency-key": "once" },
    );
  bench.agents.refusal = refusal("AGENT_FOLDER_INVALID");
  for (let count = 0; count < 2; count++)
    expect(await create()).toMatchObject({
      status: 400,
      body: { code: "AGENT_FOLDER_INVALID" },
    });
  bench.agents.refusal = undefined;
  const made = await create();
  expect(made.status).toBe(200);
  expect((await create()).body).toEqual(made.body);
});

test("the list is paged, newest first", async () => {
  await using bench = await startBench();
  for (const name of ["One", "Two", "Three"]) {
    await bench.create({ name });
    await bench.kernel.clock.advance(1000);
  }
  type List = { items: { name: string }[]; nextCursor: string | null };
  const { api } = bench.kernel;
  const first = await api.get<List>("/api/automations", { limit: 2 });
  expect(first.body.items.map(({ name }) => name)).toEqual(["Three", "Two"]);
  const cursor = first.body.nextCursor!;
  const second = await api.get<List>("/api/automations", { limit: 2, cursor });
  expect(second.body.items.map(({ name }) => name)).toEqual(["One"]);
  expect(second.body.nextCursor).toBeNull();
  const found = await api.get<List>("/api/automations", { q: "TW" });
  expect(found.body.items.map(({ name }) => name)).toEqual(["Two"]);
});

test("a change replaces what was sent and keeps the rest; limits and schedules are replaced whole", async () => {
  await using bench = await startBench();
  const created = await bench.create({
    schedules: [daily("09:00"), daily("10:00")],
    limits: { maxCostUsd: 2, maxRunsPerDay: 5 },
    permissions: { mode: "allow-once", tools: ["read"] },
  });
  const path = `/api/automations/${created.id}`;
  const { body } = await bench.kernel.api.patch<{
    automation: typeof created;
  }>(path, {
    prompt: "Say less.",
    limits: { maxRunsPerHour: 1 },
    permissions: { mode: "reject" },
    schedules: [{ ...created.schedules[1], label: "At ten" }],
  });
  const { automation } = body;
  expect(automation).toMatchObject({
    name: created.name,
    prompt: "Say less.",
    revision: 2,
    limits: {
      maxCostUsd: null,
      maxRunsPerHour: 1,
      maxRunsPerDay: null,
      maxRunsPerWeek: null,
    },
    permissions: { mode: "reject", tools: [] },
  });
  expect(automation.schedules).toEqual([
    { ...created.schedules[1], label: "At ten" },
  ]);
  expect(bench.kernel.events.all(AutomationChanged)).toMatchObject([
    {
      subject: created.id,
      data: {
        name: created.name,
        fields: ["prompt", "schedules", "limits", "permissions"],
      },
    },
  ]);
});

test("a change that changes nothing moves no revision and is no event", async () => {
  await using bench = await startBench();
  const { api, events } = bench.kernel;
  const { automation } = await bench.createHook({
    schedules: [daily("09:00", { label: "Early" })],
    limits: { maxCostUsd: 1 },
  });
  const { id, name, prompt, schedules, limits, permissions } = automation;
  for (const input of [
    {},
    { name },
    { webhook: true },
    { name, prompt, schedules, limits, permissions, enabled: true },
  ])
    expect(await api.patch(`/api/automations/${id}`, input)).toMatchObject({
      status: 200,
      body: { automation },
    });
  expect(events.all(AutomationChanged)).toEqual([]);
  await api.patch(`/api/automations/${id}`, { limits: {} });
  expect((await bench.get(id)).revision).toBe(automation.revision + 1);
});

test("a change or removal on a stale revision is refused; a run moves no revision", async () => {
  await using bench = await startBench();
  bench.agents.answer = () => ({});
  const { id } = await bench.create();
  await bench.runNow(id);
  await bench.finished(1);
  const { api } = bench.kernel;
  const path = `/api/automations/${id}`;
  const ifMatch = { "if-match": '"1"' };
  expect(await api.patch(path, { name: "New" }, ifMatch)).toMatchObject({
    status: 200,
  });
  for (const method of ["patch", "delete"] as const)
    expect(await api[method](path, {}, ifMatch)).toMatchObject({
      status: 412,
      body: { code: "STALE_REVISION" },
    });
  expect(await bench.get(id)).toMatchObject({ name: "New", revision: 2 });
});

test("of several changes on one revision at once, one is made", async () => {
  await using bench = await startBench();
  const { id } = await bench.create();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      bench.kernel.api.patch(
        `/api/automations/${id}`,
        { name: `Name ${index}` },
        { "if-match": '"1"' },
      ),
    ),
  );
  const made = answers.findIndex(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
  expect(await bench.get(id)).toMatchObject({
    name: `Name ${made}`,
    revision: 2,
  });
});

test("the same key creates one automation, with another body it is refused", async () => {
  await using bench = await startBench();
  const { api } = bench.kernel;
  const key = { "idempotency-key": "once" };
  const input = { name: "One", prompt: "Go." };
  const first = await api.post("/api/automations", input, key);
  const again = await api.post("/api/automations", input, key);
  expect(again.body).toEqual(first.body);
  const other = await api.post(
    "/api/automations",
    { ...input, name: "Two" },
    key,
  );
  expect(other.status).toBe(409);
  const { body } = await api.get<{ items: object[] }>("/api/automations");
  expect(body.items).toHaveLength(1);
});

test("unknown ids and ids of another shape are 404 everywhere", async () => {
  await using bench = await startBench();
  const { api } = bench.kernel;
  const ids = [
    UNKNOWN,
    "aut_x",
    "agt_aaaaaaaaaaaaaaaaaaaaaaaa",
    "__proto__",
    "..%2fx",
    "%00",
    "AUT_" + "a".repeat(24),
    "a".repeat(5000),
    "runs",
  ];
  for (const id of ids) {
    const path = `/api/automations/${id}`;
    const answers = [
      await api.get(path),
      await api.patch(path, { name: "x" }),
      await api.delete(path),
      await api.post(`${path}/run`),
      await api.get(`${path}/runs`),
      await api.post(`${path}/secret`),
    ];
    expect(
      answers.map(({ status }) => status),
      id,
    ).toEqual(Array(6).fill(404));
  }
});

test("there are at most as many automations as the configuration says", async () => {
  await using bench = await startBench({
    settings: { limits: { automations: 2 } },
  });
  const { id } = await bench.create();
  await bench.create();
  const { api } = bench.kernel;
  const input = { name: "Third", prompt: "Go." };
  expect(await api.post("/api/automations", input)).toMatchObject({
    status: 400,
    body: { code: "AUTOMATION_LIMIT_REACHED" },
  });
  await bench.kernel.restart();
  expect((await api.post("/api/automations", input)).status).toBe(400);
  await api.delete(`/api/automations/${id}`);
  expect((await api.post("/api/automations", input)).status).toBe(200);
});

test("several that are created at once do not pass that limit", async () => {
  await using bench = await startBench({
    settings: { limits: { automations: 2 } },
  });
  const { service } = bench.agents;
  const { createAgent } = service;
  // Nothing is written before all have asked.
  let asked = 0;
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  service.createAgent = async (...input) => {
    if (++asked === 2) goOn();
    await gate;
    return createAgent(...input);
  };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      bench.kernel.api.post("/api/automations", { name: "One", prompt: "Go." }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200, 200, 400, 400, 400, 400,
  ]);
});

test("each error code stands in the README", async () => {
  const { errors } = await import("../src/errors.ts");
  const readme = await readFile(
    new URL("../README.md", import.meta.url),
    "utf8",
  );
  for (const code of Object.keys(errors.definitions))
    expect(readme).toContain(`\`${code}\``);
});
