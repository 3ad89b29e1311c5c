import { randomInt } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createApiClient, send } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { findMarkedProcesses } from "../support/marked-processes.ts";
import { readAll } from "../support/read-all.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const ROUNDS = 30;
const SHORTEST_LIFE_MS = 50;
const LONGEST_LIFE_MS = 400;

interface Run {
  id: string;
  result: "running" | "done" | "skipped" | "failed";
  reason: string | null;
  finishedAt: string | null;
}

/** What the daemon said yes to. */
interface Ledger {
  agents: Set<string>;
  automations: Set<string>;
  runs: Set<string>;
}

test(`${ROUNDS} kills lose nothing that was acknowledged and leave nothing behind`, async () => {
  await using folder = await createTemporaryFolder("kill-nine");
  const home = join(folder.path, "home");
  const ledger: Ledger = {
    agents: new Set(),
    automations: new Set(),
    runs: new Set(),
  };
  const hook = await createHook(home, ledger);

  for (let round = 1; round <= ROUNDS; round++) {
    const daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    const runs = await expectLedgerKept(api, ledger, hook.id);
    const writers = [
      repeat(() => createAgent(api, ledger)),
      repeat(() => createAutomation(api, ledger)),
      repeat(() => fire(daemon, hook, ledger)),
      repeat(() => fire(daemon, hook, ledger)),
    ];
    // Every third daemon lives until a run of its own has ended, so that kills hit that moment too.
    if (round % 3 === 0) await untilAnswered(api, hook.id, runs);
    await delay(randomInt(SHORTEST_LIFE_MS, LONGEST_LIFE_MS));
    await daemon.kill();
    await Promise.all(writers);
  }

  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const runs = await expectLedgerKept(api, ledger, hook.id);
  expect(runs.filter(({ result }) => result === "running")).toEqual([]);
  expect(runs.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
  expect(await findMarkedProcesses(home)).toEqual([]);
  await expectInboxMatches(api, runs);
  // The rounds must have done what they are about.
  expect(ledger.runs.size).toBeGreaterThan(ROUNDS);
  expect(runs.some(({ result }) => result === "done")).toBe(true);
  expect(await daemon.stop()).toBe(0);
}, 240_000);

interface Hook {
  id: string;
  secret: string;
}

async function createHook(home: string, ledger: Ledger): Promise<Hook> {
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const { status, body } = await api.call<{
    automation: { id: string };
    webhookSecret: string;
  }>("POST", "/api/automations", {
    name: "Answer the hook",
    mode: "start",
    cli: "practice",
    prompt: "[[reply:answered]]",
    webhook: true,
  });
  expect(status).toBe(200);
  ledger.automations.add(body.automation.id);
  return { id: body.automation.id, secret: body.webhookSecret };
}

async function createAgent(api: ApiClient, ledger: Ledger): Promise<void> {
  const { status, body } = await api.call<{ id: string }>(
    "POST",
    "/api/agents",
    { name: "Writer", cli: "practice" },
  );
  if (status === 200) ledger.agents.add(body.id);
}

async function createAutomation(api: ApiClient, ledger: Ledger): Promise<void> {
  const { status, body } = await api.call<{ automation: { id: string } }>(
    "POST",
    "/api/automations",
    {
      name: "Daily",
      mode: "start",
      cli: "practice",
      prompt: "Look round",
      schedules: [
        { frequency: "daily", time: "04:00", timeZone: "Europe/Vienna" },
      ],
    },
  );
  if (status === 200) ledger.automations.add(body.automation.id);
}

async function fire(daemon: Daemon, hook: Hook, ledger: Ledger): Promise<void> {
  const { status, body } = await send<{ run: { id: string } }>(
    daemon.base,
    "POST",
    `/api/automations/${hook.id}/fire`,
    "ping",
    { authorization: `Bearer ${hook.secret}` },
  );
  if (status === 200) ledger.runs.add(body.run.id);
}

/** Waits for a run that is done and was not among those before. */
async function untilAnswered(
  api: ApiClient,
  hookId: string,
  before: readonly Run[],
): Promise<void> {
  const known = new Set(before.map(({ id }) => id));
  for (;;) {
    const path = `/api/automations/${hookId}/runs?limit=500`;
    const { body } = await api.call<{ items: Run[] }>("GET", path);
    const isNew = (run: Run) => run.result === "done" && !known.has(run.id);
    if (body.items.some(isNew)) return;
  }
}

/** Does something again and again until the daemon is gone. */
async function repeat(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work();
  } catch {
    // The connection broke: whatever was under way was never acknowledged.
  }
}

/** Everything that was acknowledged is there, once. Gives the hook's runs. */
async function expectLedgerKept(
  api: ApiClient,
  ledger: Ledger,
  hookId: string,
): Promise<Run[]> {
  const idsOf = async (path: string) =>
    (await readAll<{ id: string }>(api, path)).map(({ id }) => id);
  const agents = await idsOf("/api/agents");
  const automations = await idsOf("/api/automations");
  const runs = await readAll<Run>(api, `/api/automations/${hookId}/runs`);
  const present = [...agents, ...automations, ...runs.map(({ id }) => id)];
  expect(new Set(present).size).toBe(present.length);
  const known = new Set(present);
  const acknowledged = [
    ...ledger.agents,
    ...ledger.automations,
    ...ledger.runs,
  ];
  expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
  return runs;
}

/** Each run that is done has one item in the Inbox, and no item tells of a run that is not. */
async function expectInboxMatches(
  api: ApiClient,
  runs: readonly Run[],
): Promise<void> {
  const items = await readAll<{ run: { id: string } | null }>(
    api,
    "/api/inbox?kind=result",
  );
  const told = items.flatMap(({ run }) => run?.id ?? []).sort();
  const done = runs
    .filter(({ result }) => result === "done")
    .map(({ id }) => id);
  expect(told).toEqual(done.sort());
}
