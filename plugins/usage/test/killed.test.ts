import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@gantry/agent-kit/testing";
import { isLongRun } from "@gantry/build/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { UsageReport } from "../src/sums/usage-report.ts";
import { startDoomedDaemon, type DoomedDaemon } from "./help/doomed-daemon.ts";

// Sums of usage are those of the conversations, at whichever moment of a turn the daemon is killed.

interface Entry {
  turnId: string | null;
  kind: string;
  usage?: { costUsd: number | null };
}

interface Listing<Item> {
  items: Item[];
  nextCursor?: string | null;
}

/** Whence the delay of a kill is counted. */
const ANCHORS = ["sent", "spent", "ended"] as const;
const ROUNDS = isLongRun ? 42 : 6;
/** A turn of about 100 ms that reports its cost three times. */
const MESSAGE =
  "[[cost:0.25]][[long:10:3]][[cost:0.5]][[long:10:3]][[cost:0.125]][[reply:x]]";
/** A range for each anchor: the whole of a turn, what is left of it, and the time in which it is counted. */
const MAX_DELAY_MS = { sent: 600, spent: 150, ended: 20 };

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-usage-killed-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function readAll<Item>(
  daemon: DoomedDaemon,
  path: string,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined = ""; cursor !== null;) {
    const page: Listing<Item> = await daemon.call(
      "GET",
      `${path}?limit=500${cursor && `&cursor=${cursor}`}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor ?? null;
  }
  return items;
}

/** Resolves at the moment of a round after which the delay begins. */
async function untilAnchor(
  daemon: DoomedDaemon,
  ids: readonly string[],
  anchor: (typeof ANCHORS)[number],
): Promise<void> {
  const turns = ids.map((id) =>
    daemon.call("POST", `/api/agents/${id}/ask`, {
      ...{ text: MESSAGE, timeoutMs: 30_000 },
    }),
  );
  // The daemon is killed before it answers them all.
  for (const turn of turns) turn.catch(() => undefined);
  const [id] = ids;
  const path = `/api/agents/${id}/messages?limit=500`;
  const countReports = async () =>
    (await daemon.call<Listing<Entry>>("GET", path)).items.filter(
      ({ kind }) => kind === "usage",
    ).length;
  if (anchor === "ended") await Promise.race(turns);
  if (anchor !== "spent") return;
  const before = await countReports();
  await until(
    async () => (await countReports()) > before,
    "it has cost something",
  );
}

const finishedTurns = async (daemon: DoomedDaemon) => {
  const events = new Map<number, { type: string; data: { turnId: string } }>();
  for (let after = 0; ;) {
    const { items } = await daemon.call<
      Listing<{ id: number; type: string; data: { turnId: string } }>
    >("GET", `/api/events/log?limit=500&after=${after}`);
    for (const event of items) events.set(event.id, event);
    const last = items.at(-1)?.id;
    if (last === undefined || last === after) break;
    after = last;
  }
  return [...events.values()]
    .filter(({ type }) => type === "agents.turn-finished")
    .map(({ data }) => data.turnId);
};

test("sums are exact after each of many kills in the middle of turns", async () => {
  let daemon = await startDoomedDaemon(home);
  const ids: string[] = [];
  for (const name of ["First", "Second", "Third"]) {
    const { id } = await daemon.call<{ id: string }>("POST", "/api/agents", {
      ...{ name, cli: "practice" },
    });
    ids.push(id);
  }
  let turns = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const anchor = ANCHORS[round % ANCHORS.length]!;
    await untilAnchor(daemon, ids, anchor);
    const delay = Math.random() * MAX_DELAY_MS[anchor];
    await pause(delay);
    await daemon.kill();
    daemon = await startDoomedDaemon(home);

    const where = `round ${round}, killed ${delay} ms after "${anchor}"`;
    const { total, items } = await daemon.call<UsageReport>(
      "GET",
      "/api/usage?by=agent",
    );
    const finished = await finishedTurns(daemon);
    expect(total.turns, where).toBe(finished.length);
    expect(new Set(finished).size, where).toBe(finished.length);
    turns = total.turns;
    for (const id of ids) {
      const entries = await readAll<Entry>(
        daemon,
        `/api/agents/${id}/messages`,
      );
      const spent = entries
        .filter(({ kind }) => kind === "usage")
        .reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
      const row = items.find(({ key }) => key === id);
      // All costs are multiples of 1/8, so that their sums are exact.
      expect(row?.usage.costUsd ?? 0, where).toBe(spent);
      const agent = await daemon.call<{ usage: { costUsd: number | null } }>(
        "GET",
        `/api/agents/${id}`,
      );
      expect(agent.usage.costUsd ?? 0, where).toBe(spent);
    }
  }
  // What was cut off has not kept the agents from being counted later.
  for (const id of ids) {
    await daemon.call("POST", `/api/agents/${id}/ask`, {
      ...{ text: "[[cost:1]][[reply:done]]", timeoutMs: 30_000 },
    });
  }
  await until(
    async () =>
      (await daemon.call<UsageReport>("GET", "/api/usage")).total.turns >
      turns + 2,
    "the last turns are counted",
  );
  await daemon.kill();
}, 1_200_000);
