import { createSystemClock } from "@gantry/system/clock/system-clock";
import { homePaths } from "@gantry/system/home/home";
import { createIdentifier } from "@gantry/plugin";
import type { NewEvent, Store } from "@gantry/plugin";
import { openEngine } from "@gantry/store/engine";
import { openQuarantine } from "@gantry/store/quarantine";
import { createScopedStore } from "@gantry/store/scoped-store";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { createStoreCore } from "@gantry/store/store-core";
import { automationCollection } from "../../../../plugins/automations/src/records/automation-record.ts";
import { snippetCollection } from "../../../../plugins/snippets/src/library/snippet-record.ts";

/** How much a large home holds. */
export interface HomeSize {
  snippets: number;
  automations: number;
  /** Events that no plugin listens to. */
  events: number;
}

/** Records written in one batch. */
const BATCH = 500;
const WORDS = "agent branch commit deploy error file grep hook issue".split(
  " ",
);
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Fills a home whose daemon is stopped, with direct writes to its store. The schedules of the automations have no next slot
 * yet, as after an import; the first start plans them.
 *
 * @param home Folder of a home that a daemon has used before.
 */
export async function fillHome(
  home: string,
  { snippets, automations, events }: HomeSize,
): Promise<void> {
  const clock = createSystemClock();
  const engine = await openEngine(createSqliteDriver(homePaths(home).database));
  try {
    const core = await createStoreCore(engine, clock);
    const quarantine = await openQuarantine({ core, clock, log: NO_LOG });
    const host = { core, quarantine, clock, log: NO_LOG };
    await fillSnippets(createScopedStore("snippets", host), snippets);
    await fillAutomations(createScopedStore("automations", host), automations);
    const noted: NewEvent = { type: "bench.noted", subject: "x", data: {} };
    for (let from = 0; from < events; from += BATCH)
      await core.commit(
        "bench",
        [],
        Array.from({ length: Math.min(BATCH, events - from) }, () => noted),
      );
  } finally {
    await engine.close();
  }
}

async function fillSnippets(store: Store, count: number): Promise<void> {
  const collection = store.collection(snippetCollection);
  await writeAll(store, count, (index) => {
    const word = WORDS[index % WORDS.length] ?? "";
    return collection.toInsert({
      id: createIdentifier("snp"),
      createdAt: toTime(index),
      slug: `snippet-${index}`,
      kind: "prompt",
      title: `Snippet ${index} about ${word}`,
      description: null,
      tags: [word],
      body: `${`Do something with the ${word} of {{name}} `.repeat(5)}and number ${index}.`,
      placeholders: [
        {
          ...{ name: "name", default: null, optional: false },
          ...{ reserved: false, enum: null },
        },
      ],
    }).operations;
  });
}

async function fillAutomations(store: Store, count: number): Promise<void> {
  const collection = store.collection(automationCollection);
  const weekday = new Date(Date.now() + 2 * DAY_MS).getUTCDay();
  await writeAll(
    store,
    count,
    (index) =>
      collection.toInsert({
        id: createIdentifier("aut"),
        createdAt: toTime(index),
        name: `Automation ${index}`,
        enabled: true,
        mode: "start",
        workspace: "/tmp",
        targetAgentId: null,
        agentId: null,
        cli: null,
        model: null,
        prompt: "Say what is new.",
        schedules: [
          {
            id: createIdentifier("sch"),
            frequency: "weekly",
            time: `${String(index % 24).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}`,
            // Two to five days ahead, so that none fires while it is measured.
            weekday: (weekday + (index % 4)) % 7,
            minute: null,
            cron: null,
            timeZone: "Europe/Berlin",
            label: null,
            enabled: true,
          },
        ],
        limits: {
          ...{ maxCostUsd: null, maxRunsPerHour: null },
          ...{ maxRunsPerDay: null, maxRunsPerWeek: null },
        },
        permissions: { mode: "reject", tools: [] },
        notifyUrl: null,
        timeoutMs: 60_000,
        secretHash: null,
        secretCreatedAt: null,
      }).operations,
  );
}

async function writeAll(
  store: Store,
  count: number,
  toWrite: (index: number) => Parameters<Store["batch"]>[0],
): Promise<void> {
  for (let from = 0; from < count; from += BATCH)
    await store.batch(
      Array.from({ length: Math.min(BATCH, count - from) }, (_, index) =>
        toWrite(from + index),
      ).flat(),
    );
}

const toTime = (index: number) =>
  new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();

const NO_LOG = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
