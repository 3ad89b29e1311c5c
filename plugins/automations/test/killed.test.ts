import { beforeEach, expect, test } from "vitest";
import { AgentRuns } from "@gantry/plugin-agents/contract";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import plugin from "../src/index.ts";
import { RunFinished } from "../src/contract.ts";
import type { AutomationView } from "../src/wire/automation.ts";
import type { RunRecord } from "../src/wire/run.ts";
import { takeCrashImage } from "./support/crash-image.ts";
import { createFakeAgents } from "./support/fake-agents.ts";
import { nothingOf } from "./support/nothing-of.ts";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const MINUTE = 60_000;
let images: string[] = [];
const take = (home: string) => images.push(takeCrashImage(home));
beforeEach(() => void (images = []));

interface Created {
  automation: AutomationView;
  webhookSecret: string;
}

/** What is found after a kill. */
interface Found {
  automations: AutomationView[];
  runsOf(id: string): RunRecord[];
  /** Ids of the runs that the daemon on the image ran. */
  executed: string[];
}

/** Something that a client was told. It holds for the images from one on, up to another. */
interface Promised {
  from: number;
  until: number;
  what: string;
  holds(found: Found): boolean;
}

/** Keeps what a kill right before each write would leave on disk. */
function takeBeforeWrites({ kernel }: Bench): void {
  const { engine } = kernel.kernel.foundation.core;
  const { commit } = engine;
  engine.commit = (...batch) => {
    take(kernel.home);
    return commit(...batch);
  };
}

/** Starts a daemon on an image nearly a day later, while keys of requests still count. */
async function startOn(image: string) {
  const agents = createFakeAgents();
  agents.answer = () => ({});
  const kernel = await startTestKernel(
    [provideFake(AgentRuns, agents.service), plugin],
    { home: image, startAt: "2026-03-03T11:58:00.000Z" },
  );
  /** What is there once the runs that had been queued have ended. */
  async function find(): Promise<Found> {
    for (;;) {
      const { body } = await kernel.api.get<{ items: AutomationView[] }>(
        "/api/automations",
      );
      const runs = new Map<string, RunRecord[]>();
      for (const { id } of body.items) {
        const path = `/api/automations/${id}/runs`;
        const answer = await kernel.api.get<{ items: RunRecord[] }>(path);
        runs.set(id, answer.body.items);
      }
      if (body.items.some(({ activeRunId }) => activeRunId !== null)) continue;
      const executed = agents.runs.map(({ input }) => input.runId);
      const runsOf = (id: string) => runs.get(id) ?? [];
      return { automations: body.items, runsOf, executed };
    }
  }
  return { kernel, agents, find, [Symbol.asyncDispose]: () => kernel.stop() };
}

/** Everything that must be true of what is found, whenever the daemon was killed. */
function expectSound(found: Found, what: string): void {
  const { automations, runsOf, executed } = found;
  expect(new Set(executed).size, what).toBe(executed.length);
  for (const automation of automations) {
    const runs = runsOf(automation.id);
    expect(
      runs.map(({ number }) => number),
      what,
    ).toEqual(runs.map((_, index) => runs.length - index));
    for (const { id, reason, decision, startedAt, finishedAt } of runs) {
      expect(finishedAt, what).not.toBeNull();
      // What had begun is not run again, and what had not is.
      const isCutOff = reason === "daemon-restarted";
      if (isCutOff) expect(executed, what).not.toContain(id);
      if (isCutOff) expect(startedAt, what).not.toBeNull();
      const outcomes = decision.filter(({ gate }) => gate === "outcome");
      expect(outcomes.length, what).toBeLessThanOrEqual(1);
    }
    const slots = runs.flatMap(({ slotAt }) => slotAt ?? []);
    expect(new Set(slots).size, what).toBe(slots.length);
    expect(automation.activeRunId, what).toBeNull();
    expect(automation.lastRun?.id, what).toBe(runs[0]?.id);
  }
}

test("killed between any two writes, it keeps what it said, runs each slot once and ends each run once", async () => {
  const promises: Promised[] = [];
  const promise = (what: string, holds: Promised["holds"]) => {
    const promised = { from: images.length, until: Infinity, what, holds };
    promises.push(promised);
    return promised;
  };

  await using bench = await startBench({
    settings: { limits: { concurrentRuns: 1 } },
  });
  const { api, clock } = bench.kernel;
  // A key counts for one session, which outlives the daemon.
  const maker = await bench.kernel.pairAs("Maker");
  takeBeforeWrites(bench);
  const input = {
    name: "First",
    prompt: "Go.",
    webhook: true,
    schedules: [daily("12:30")],
  };
  const create = ({ stranger, url }: TestKernel) =>
    stranger.post<Created>("/api/automations", input, {
      cookie: maker.cookie,
      origin: url,
      "idempotency-key": "made",
    });
  const { automation: first } = (await create(bench.kernel)).body;
  const isThere = promise("created", ({ automations }) =>
    automations.some(({ id }) => id === first.id),
  );
  const { webhookSecret: secret } = (
    await api.post<Created>(`/api/automations/${first.id}/secret`)
  ).body;
  const secretFrom = images.length;
  const second = await bench.create({ schedules: [daily("12:30")] });
  // One of the two runs waits for the other's place.
  await clock.advance(36 * MINUTE);
  for (const index of [0, 1]) {
    (await bench.agents.started(index)).finish();
    await bench.finished(index + 1);
  }
  const key = { "idempotency-key": "once" };
  const { body } = await bench.fire(first.id, secret, undefined, key);
  const isFired = promise("fired", ({ runsOf }) =>
    runsOf(first.id).some(({ id }) => id === body.run.id),
  );
  await bench.agents.started(2);
  await api.patch(`/api/automations/${second.id}`, { name: "Renamed" });
  promise("renamed", ({ automations }) =>
    automations.some(({ id, name }) => id === second.id && name === "Renamed"),
  );
  isThere.until = isFired.until = images.length;
  await api.delete(`/api/automations/${first.id}`);
  promise("deleted", ({ automations }) =>
    automations.every(({ id }) => id !== first.id),
  );
  await nothingOf(bench.kernel, first.id);
  take(bench.kernel.home);
  expect(images.length).toBeGreaterThan(12);

  for (const [index, image] of images.entries()) {
    await using after = await startOn(image);
    const found = await after.find();
    expectSound(found, `at start, before write ${index}`);
    for (const { from, until, what, holds } of promises)
      if (from <= index && index <= until)
        expect(holds(found), `${what}, before write ${index}`).toBe(true);
    const isLeft = found.automations.some(({ id }) => id === first.id);
    if (!isLeft) await nothingOf(after.kernel, first.id);

    // Clients that got no answer ask again, and what they asked for is done once.
    // Cut off between its effect and its answer, a request is a conflict that says so.
    expect([200, 409]).toContain((await create(after.kernel)).status);
    const { automations } = await after.find();
    const made = automations.filter(({ name }) => name === "First");
    expect(made.length, `made, before write ${index}`).toBe(
      index > isThere.until && !isLeft ? 0 : 1,
    );
    const call = () =>
      after.kernel.stranger.request(
        "POST",
        `/api/automations/${first.id}/fire`,
        { headers: { ...key, authorization: `Bearer ${secret}` } },
      );
    const isCallable = isLeft && secretFrom <= index;
    const status = isCallable ? [200, 409] : [401];
    expect(status).toContain((await call()).status);
    expect(status).toContain((await call()).status);

    await after.kernel.clock.advance(38 * MINUTE);
    const later = await after.find();
    expectSound(later, `later, before write ${index}`);
    for (const { id } of found.automations) {
      const runs = later.runsOf(id);
      const days = runs.flatMap(({ slotAt }) => slotAt?.slice(0, 10) ?? []);
      expect(days, `before write ${index}`).toEqual([
        "2026-03-03",
        "2026-03-02",
      ]);
      const calls = runs.filter(({ trigger }) => trigger === "webhook");
      expect(calls).toHaveLength(id === first.id && isCallable ? 1 : 0);
    }
    const { body: log } = await after.kernel.api.get<{
      items: { type: string; data: { runId: string } }[];
    }>("/api/events/log", { limit: 500 });
    const ends = log.items.filter(({ type }) => type === RunFinished.type);
    const ended = ends.map(({ data }) => data.runId);
    expect(new Set(ended).size).toBe(ended.length);
    for (const { id } of later.automations)
      for (const run of later.runsOf(id)) expect(ended).toContain(run.id);
  }
});

test(
  "killed with hundreds of runs queued, it runs every one of them in order, and new ones after them",
  { tags: "thorough" },
  async () => {
    const COUNT = 230;
    await using bench = await startBench({
      settings: { limits: { concurrentRuns: 1 } },
    });
    const ids: string[] = [];
    for (let count = 0; count < COUNT; count += 10) {
      const some = await Promise.all(
        Array.from({ length: 10 }, () => bench.create()),
      );
      ids.push(...some.map(({ id }) => id));
    }
    const accepted: string[] = [];
    for (const id of ids) accepted.push((await bench.runNow(id)).id);
    take(bench.kernel.home);
    await using after = await startOn(images[0]!);
    const { api, events } = after.kernel;
    const { body } = await api.post<{ run: RunRecord }>(
      `/api/automations/${ids[0]}/run`,
    );
    expect(body.run).toMatchObject({ result: "running", number: 2 });
    await events.first(RunFinished, ({ data }) => data.runId === body.run.id);
    expect(after.agents.runs.map(({ input }) => input.runId)).toEqual([
      ...accepted.slice(1),
      body.run.id,
    ]);
    const { engine } = after.kernel.kernel.foundation.core;
    await expect.poll(() => engine.keys("automations:run~running")).toEqual([]);
    const endings = new Map<string, number>();
    for (const key of await engine.keys("automations:run:")) {
      const [ending = "other"] =
        /"reason":("daemon-restarted"|null)/.exec(
          JSON.stringify(await engine.get(key)),
        ) ?? [];
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    }
    expect(Object.fromEntries(endings)).toEqual({
      '"reason":"daemon-restarted"': 1,
      '"reason":null': COUNT,
    });
  },
);
