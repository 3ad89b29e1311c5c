import { describe, expect, test } from "vitest";
import { DraftChanged } from "../../src/contract.ts";
import type { DraftView } from "../../src/wire/draft.ts";
import type { SpendingView } from "../../src/wire/spending.ts";
import { takeCrashImage } from "../support/crash-image.ts";
import { refusal } from "../support/fake-agents.ts";
import { startBench } from "../support/start.ts";
import type { Bench, BenchOptions } from "../support/start.ts";

const DESCRIPTION = "Every weekday at 9, look at ~/code/app. {It} matters.";
const sound = {
  name: "Look at the app",
  prompt: "Look.",
  workspace: null,
  schedules: [{ cron: "0 9 * * 1-5", timeZone: "Asia/Tokyo", label: null }],
};
const answer = (fields: object = {}) => ({
  message: JSON.stringify({ ...sound, ...fields }),
});
const usage = (costUsd: number | null) => ({
  usage: { inputTokens: 1, outputTokens: 1, costUsd },
});
const PATH = "/api/automations/drafts";

async function describeTo(bench: Bench, more: object = {}): Promise<DraftView> {
  const answer = await bench.kernel.api.post<DraftView>(PATH, {
    description: DESCRIPTION,
    timeZone: "Asia/Tokyo",
    ...more,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

async function get(bench: Bench, id: string): Promise<DraftView> {
  return (await bench.kernel.api.get<DraftView>(`${PATH}/${id}`)).body;
}

/** Waits for the end of a draft. */
async function ended(bench: Bench, id: string): Promise<DraftView> {
  for (;;) {
    const draft = await get(bench, id);
    if (draft.state !== "working") return draft;
  }
}

const start = (options?: BenchOptions) => startBench(options);

test("an agent drafts what is described, and nothing is saved", async () => {
  await using bench = await start({ startAt: "2026-03-01T22:30:00.000Z" });
  const { kernel, agents } = bench;
  const draft = await describeTo(bench, { cli: "pi", model: "small" });
  expect(draft).toMatchObject({
    description: DESCRIPTION,
    cli: "pi",
    state: "working",
    automation: null,
    timeoutMs: 300_000,
  });
  const run = await agents.started(0);
  expect(agents.made).toMatchObject([
    {
      automationId: draft.id,
      cli: "pi",
      model: "small",
      readOnly: true,
      cwd: null,
    },
  ]);
  const { prompt } = run.input;
  expect(run.input).toMatchObject({
    freshSession: true,
    maxCostUsd: 1,
    timeoutMs: 300_000,
    permissions: { mode: "reject", tools: [] },
  });
  // The time of the user, not that of the machine.
  expect(prompt).toContain("Monday, 2 March 2026 at 07:30 in Asia/Tokyo");
  expect(prompt).toContain('"cron"');
  const fence = /BEGIN DESCRIPTION (\w{32})/.exec(prompt)?.[1];
  expect(prompt).toContain(
    `\n${DESCRIPTION}\n----- END DESCRIPTION ${fence} -----`,
  );
  run.finish({ ...answer({ enabled: true }), ...usage(0.25) });

  expect(await ended(bench, draft.id)).toMatchObject({
    state: "done",
    isSecondTry: false,
    costUsd: 0.25,
    automation: {
      name: "Look at the app",
      schedules: [{ frequency: "weekdays", time: "09:00" }],
    },
    dropped: [{ path: "enabled", value: "true" }],
    problem: null,
    finishedAt: expect.any(String) as string,
  });
  // Drafts of one millisecond are listed by id.
  await kernel.clock.advance(1);
  const later = await describeTo(bench);
  const listed = async (query: Record<string, string> = {}) => {
    type Answer = { items: DraftView[]; nextCursor: string | null };
    const { items, nextCursor } = (await kernel.api.get<Answer>(PATH, query))
      .body;
    return { ids: items.map(({ id }) => id), nextCursor };
  };
  expect((await listed()).ids).toEqual([later.id, draft.id]);
  const first = await listed({ limit: "1" });
  expect(first.ids).toEqual([later.id]);
  expect(await listed({ cursor: first.nextCursor ?? "" })).toEqual({
    ids: [draft.id],
    nextCursor: null,
  });
  await kernel.api.post(`${PATH}/${later.id}/stop`);
  // Its agent is deleted, and so is the record of the draft.
  expect([...agents.gone]).toContain(agents.made[0]?.agentId);
  const list = await kernel.api.get<{ items: object[] }>("/api/automations");
  expect(list.body.items).toEqual([]);
  const told = kernel.events
    .all(DraftChanged)
    .filter(({ subject }) => subject === draft.id);
  expect(told.map(({ data }) => data.state)).toEqual(["working", "done"]);
});

test("what was drafted can be saved as it is", async () => {
  await using bench = await start();
  bench.agents.answer = () => answer({ workspace: "/is/there" });
  const { id } = await describeTo(bench);
  const { automation } = await ended(bench, id);
  const saved = await bench.create({ ...automation!, enabled: false });
  expect(saved).toMatchObject({
    name: "Look at the app",
    workspace: "/is/there",
    enabled: false,
  });
});

describe("an answer that does not hold", () => {
  test("is sent back once, with what is wrong with it", async () => {
    await using bench = await start();
    const { agents } = bench;
    const { id } = await describeTo(bench);
    const bad = answer({ schedules: [{ cron: "at nine", timeZone: "UTC" }] });
    (await agents.started(0)).finish({ ...bad, ...usage(0.25) });
    const second = await agents.started(1);
    expect(await get(bench, id)).toMatchObject({
      state: "working",
      isSecondTry: true,
      costUsd: 0.25,
      answer: bad.message,
    });
    const { prompt, maxCostUsd } = second.input;
    expect(prompt).toContain(DESCRIPTION);
    expect(prompt).toContain(bad.message);
    expect(prompt).toContain("- schedules.0.cron: a cron line has five fields");
    // Both tries together may cost what one draft may.
    expect(maxCostUsd).toBe(0.75);
    second.finish({ ...answer(), ...usage(0.5) });
    expect(await ended(bench, id)).toMatchObject({
      state: "done",
      costUsd: 0.75,
      isSecondTry: true,
    });
  });

  test("twice is a failure that keeps what was said", async () => {
    await using bench = await start();
    bench.agents.answer = () => ({
      message: "I would rather not.",
      ...usage(null),
    });
    const { id } = await describeTo(bench);
    expect(await ended(bench, id)).toMatchObject({
      state: "failed",
      description: DESCRIPTION,
      answer: "I would rather not.",
      costUsd: null,
      automation: null,
      problem: {
        reason: "answer",
        errors: [
          {
            path: "",
            message: expect.stringContaining("no JSON object") as string,
          },
        ],
      },
    });
    expect(bench.agents.runs).toHaveLength(2);
  });
});

test.each([
  "agent-error",
  "cli-missing",
  "timeout",
  "permission-needed",
] as const)("a draft that ends as %s says so", async (failure) => {
  await using bench = await start();
  bench.agents.answer = () => ({ failure, message: "That is why." });
  const { id } = await describeTo(bench);
  expect(await ended(bench, id)).toMatchObject({
    state: "failed",
    problem: { reason: failure, message: "That is why.", errors: [] },
  });
  expect(bench.agents.runs).toHaveLength(1);
  expect(bench.agents.gone.size).toBe(1);
});

test("an agent that crashes costs nothing but the draft", async () => {
  await using bench = await start();
  const { id } = await describeTo(bench);
  (await bench.agents.started(0)).crash(refusal("AGENT_START_FAILED"));
  expect(await ended(bench, id)).toMatchObject({
    state: "failed",
    problem: { reason: "agent-error", message: "No." },
  });
  const again = await describeTo(bench);
  bench.kernel.expectFault(/Drafting failed/);
  (await bench.agents.started(1)).crash(new Error("brain missing"));
  expect(await ended(bench, again.id)).toMatchObject({ state: "failed" });
});

test("both tries together have one time limit", async () => {
  await using bench = await start({
    settings: { limits: { draftMinutes: 2 } },
  });
  const { id } = await describeTo(bench);
  const first = await bench.agents.started(0);
  expect(first.input.timeoutMs).toBe(120_000);
  await bench.kernel.clock.advance(90_000);
  first.finish({ message: "Hm." });
  expect((await bench.agents.started(1)).input.timeoutMs).toBe(30_000);
  (await bench.agents.started(1)).finish(answer());
  expect(await ended(bench, id)).toMatchObject({ state: "done" });
});

test("stopping ends the agent and clears it away", async () => {
  await using bench = await start();
  const { api } = bench.kernel;
  const { id } = await describeTo(bench);
  const run = await bench.agents.started(0);
  const stopped = await api.post<DraftView>(`${PATH}/${id}/stop`);
  expect(run.signal.aborted).toBe(true);
  expect(stopped.body).toMatchObject({
    state: "cancelled",
    description: DESCRIPTION,
  });
  expect(bench.agents.gone.size).toBe(1);
  // What has ended stays as it is.
  const again = await api.post<DraftView>(`${PATH}/${id}/stop`);
  expect(again.body).toEqual(stopped.body);
});

describe("the spend limits", () => {
  const limit = (bench: Bench, maxDailyUsd: number) =>
    bench.kernel.api.request("PUT", "/api/automations/spending", {
      body: { maxDailyUsd, maxWeeklyUsd: null },
    });
  const spent = async (bench: Bench) =>
    (await bench.kernel.api.get<SpendingView>("/api/automations/spending")).body
      .day;

  test("count drafts, and stop them", async () => {
    await using bench = await start();
    await limit(bench, 0.75);
    const { id } = await describeTo(bench);
    const run = await bench.agents.started(0);
    expect(run.input.maxCostUsd).toBe(0.75);
    expect(await spent(bench)).toMatchObject({ promisedUsd: 0.75 });
    run.finish({ ...answer(), ...usage(0.75) });
    await ended(bench, id);
    expect(await spent(bench)).toMatchObject({
      spentUsd: 0.75,
      promisedUsd: 0,
    });
    const refused = await bench.kernel.api.post<{
      code: string;
      detail: string;
    }>(PATH, { description: "x", timeZone: "UTC" });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: "DRAFT_SPEND_LIMIT",
        detail: expect.stringContaining("0.75") as string,
      },
    });
    expect(bench.agents.made).toHaveLength(1);
    await bench.kernel.restart();
    expect(await spent(bench)).toMatchObject({ spentUsd: 0.75 });
  });

  test("count a draft whose cost is unknown", async () => {
    await using bench = await start();
    bench.agents.answer = () => ({ ...answer(), ...usage(null) });
    await ended(bench, (await describeTo(bench)).id);
    expect(await spent(bench)).toMatchObject({ unknownRuns: 1, spentUsd: 0 });
  });
});

test("no more than four are drafted at once", async () => {
  await using bench = await start();
  const drafts = await Promise.all(
    Array.from({ length: 4 }, () => describeTo(bench)),
  );
  const { api } = bench.kernel;
  const body = { description: "x", timeZone: "UTC" };
  expect(await api.post(PATH, body)).toMatchObject({
    status: 429,
    body: { code: "DRAFT_TOO_MANY" },
  });
  await api.post(`${PATH}/${drafts[0]?.id}/stop`);
  expect((await api.post(PATH, body)).status).toBe(200);
});

test("a CLI that the agents do not know is refused, and leaves nothing", async () => {
  await using bench = await start();
  bench.agents.refusal = refusal("AGENT_CLI_UNKNOWN");
  const { api } = bench.kernel;
  const body = { description: "x", timeZone: "UTC", cli: "nobody" };
  expect(await api.post(PATH, body)).toMatchObject({
    status: 400,
    body: { code: "AGENT_CLI_UNKNOWN" },
  });
  bench.agents.refusal = undefined;
  // The place is free again.
  await Promise.all(Array.from({ length: 4 }, () => describeTo(bench)));
});

test.each([
  [{ timeZone: "UTC" }, "description"],
  [{ description: " ", timeZone: "UTC" }, "description"],
  [{ description: "x".repeat(10_001), timeZone: "UTC" }, "description"],
  [{ description: "x", timeZone: "Mars/Base" }, "timeZone"],
  [{ description: "x" }, "timeZone"],
])("%# is no description", async (body, path) => {
  await using bench = await start();
  const { status, body: problem } = await bench.kernel.api.post<{
    errors: { path: string }[];
  }>(PATH, body);
  expect(status).toBe(400);
  expect(problem.errors.map((one) => one.path)).toContain(path);
  expect(bench.agents.made).toEqual([]);
});

test("the same request twice starts one agent", async () => {
  await using bench = await start();
  const send = () =>
    bench.kernel.api.request<DraftView>("POST", PATH, {
      body: { description: DESCRIPTION, timeZone: "UTC" },
      headers: { "idempotency-key": "one-intent" },
    });
  const first = await send();
  expect((await send()).body.id).toBe(first.body.id);
  expect(bench.agents.made).toHaveLength(1);
});

test("a draft is forgotten after an hour, and unknown ones are 404", async () => {
  await using bench = await start();
  bench.agents.answer = () => answer();
  const { id } = await describeTo(bench);
  await ended(bench, id);
  await bench.kernel.clock.advance(59 * 60_000);
  expect((await get(bench, id)).state).toBe("done");
  await bench.kernel.clock.advance(2 * 60_000);
  for (const path of [`${PATH}/${id}`, `${PATH}/drf_x`])
    expect(await bench.kernel.api.get(path)).toMatchObject({
      status: 404,
      body: { code: "DRAFT_NOT_FOUND" },
    });
});

test("a daemon that stops in the middle leaves no agent", async () => {
  await using bench = await start();
  const { kernel, agents } = bench;
  const { id } = await describeTo(bench);
  await agents.started(0);
  await kernel.restart();
  expect(agents.gone.size).toBe(1);
  expect((await kernel.api.get(`${PATH}/${id}`)).status).toBe(404);
});

test("what a daemon that was killed in the middle leaves is cleared away by the next", async () => {
  await using bench = await start();
  const { kernel, agents } = bench;
  await describeTo(bench);
  await agents.started(0);
  const home = takeCrashImage(kernel.home);
  expect(agents.gone.size).toBe(0);
  await using next = await start({ home, agents });
  expect(agents.gone.size).toBe(1);
  // Its cost is unknown.
  const { body } = await next.kernel.api.get<SpendingView>(
    "/api/automations/spending",
  );
  expect(body.day.unknownRuns).toBe(1);
});
