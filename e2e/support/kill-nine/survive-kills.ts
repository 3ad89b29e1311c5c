import { randomInt } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { createApiClient } from "../api-client.ts";
import type { ApiClient } from "../api-client.ts";
import { startDaemon } from "../daemon.ts";
import { findMarkedProcesses } from "../marked-processes.ts";
import { readAll } from "../read-all.ts";
import { createTemporaryFolder } from "../temporary-folder.ts";
import { expectLedgerKept, Ledger } from "./ledger.ts";
import type { Run, Targets } from "./ledger.ts";
import { startWriters, untilAnswered } from "./writers.ts";

const MIN_LIFE_MS = 10;
const MAX_LIFE_MS = 400;
/** One in `LONG_LIVED` daemons lives until a run of its own has ended, so that kills hit that moment too. */
const LONG_LIVED = 3;

/**
 * Kills a daemon again and again while eight writers write to it, and holds what it acknowledged against what the next
 * one has.
 */
export async function surviveKills(rounds: number): Promise<void> {
  await using folder = await createTemporaryFolder("kill-nine");
  const home = join(folder.path, "home");
  await keepAllRuns(home);
  const ledger = new Ledger();
  const targets = await createTargets(home, ledger);

  for (let round = 1; round <= rounds; round++) {
    const daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    const runs = await expectLedgerKept(api, ledger, targets);
    const writers = startWriters(daemon, api, ledger, targets);
    if (round % LONG_LIVED === 0)
      await untilAnswered(api, targets.hookId, runs);
    await delay(randomInt(MIN_LIFE_MS, MAX_LIFE_MS));
    await daemon.kill();
    await Promise.all(writers);
  }

  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const runs = await expectLedgerKept(api, ledger, targets);
  expect(runs.filter(({ result }) => result === "running")).toEqual([]);
  expect(runs.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
  expect(await findMarkedProcesses(home)).toEqual([]);
  await expectInboxMatches(api, runs);
  // The rounds must have done what they are about.
  for (const [kind, ids] of Object.entries(ledger.created))
    expect(ids.size, kind).toBeGreaterThan(rounds / 2);
  expect(ledger.deleted.size).toBeGreaterThan(0);
  expect(ledger.itemStates.size).toBeGreaterThan(0);
  expect(runs.some(({ result }) => result === "done")).toBe(true);
  expect(await daemon.stop()).toBe(0);
}

/** Hundreds of rounds make more runs than are kept by default; a run that was forgotten would look like one that is lost. */
async function keepAllRuns(home: string): Promise<void> {
  await mkdir(home, { mode: 0o700 });
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({
      settings: { automations: { limits: { runsKept: 1_000_000 } } },
    }),
    { mode: 0o600 },
  );
}

async function createTargets(home: string, ledger: Ledger): Promise<Targets> {
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const name = "Answer the hook";
  const hook = await api.call<{
    automation: { id: string };
    webhookSecret: string;
  }>("POST", "/api/automations", {
    name,
    mode: "start",
    cli: "practice",
    prompt: "[[reply:answered]]",
    webhook: true,
  });
  expect(hook.status).toBe(200);
  Object.assign(ledger.name, { acknowledged: name, asked: name });
  const letterBox = await api.call<{ id: string }>("POST", "/api/agents", {
    name: "Letter box",
    cli: "practice",
  });
  expect(letterBox.status).toBe(200);
  return {
    hookId: hook.body.automation.id,
    secret: hook.body.webhookSecret,
    letterBoxId: letterBox.body.id,
  };
}

/** Each run that is done has one item in the Inbox, and no other run has one. */
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
