import { randomInt } from "node:crypto";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { createApiClient, type ApiClient } from "../api-client.ts";
import { startDaemon } from "../daemon.ts";
import { readAll } from "../read-all.ts";
import { createTemporaryFolder } from "../temporary-folder.ts";
import { ACTS, readLastRestore, type Act } from "./acts.ts";
import {
  expectAcknowledged,
  fillHome,
  keepBusy,
  makeCounter,
  readRecords,
  type Acknowledged,
} from "./busy-home.ts";
import { checkSnapshot, listFolders } from "./check-snapshot.ts";
import { readSnapshotRecords } from "./read-snapshot-records.ts";

const RECORDS_AT_FIRST = 40;
/** Then a new home is begun: each round reads all records, and most acts only add some. */
const ROUNDS_A_HOME = 25;
const MIN_LIFE_MS = 5;
/** How much longer or shorter a daemon lives after one that was killed too early or too late: about half of the acts are over. */
const LIFE_STEP = 1.25;

interface Snapshot {
  id: string;
  path: string;
  problem: unknown;
}

/** What came of the rounds. */
export interface Kills {
  /** Acts that were acknowledged before the kill. */
  acknowledged: number;
  /** Rounds after which a restore was carried out. */
  replaced: number;
  /** Folders of snapshots that a kill left without a manifest. */
  half: number;
  /** Snapshots that are whole at the end. */
  whole: number;
  /** Writes that were acknowledged. */
  written: number;
}

/**
 * Kills a daemon again and again in one act of the backup, while records and files change all the time. Afterwards each snapshot that is
 * listed is whole, each that was acknowledged is there, and each write that was acknowledged is in the home, or in the safety snapshot
 * of the restore that took it away.
 */
export async function surviveKillsIn(act: Act, rounds: number): Promise<Kills> {
  const kills: Kills = {
    ...{ acknowledged: 0, replaced: 0, half: 0, whole: 0, written: 0 },
  };
  for (let left = rounds; left > 0; left -= ROUNDS_A_HOME)
    await surviveInOneHome(act, Math.min(left, ROUNDS_A_HOME), kills);
  return kills;
}

/** @param kills What is added to. */
async function surviveInOneHome(
  act: Act,
  rounds: number,
  kills: Kills,
): Promise<void> {
  await using folder = await createTemporaryFolder(`kills-in-${act}`);
  const home = join(folder.path, "home");
  const backup = join(folder.path, "backups", "gantry-backup");
  await fillHome(home);
  const { first, counter } = await setUp(home, join(folder.path, "backups"));
  const checked = new Set<string>();
  const pieces = new Set<string>();
  const half = new Set<string>();
  let longest = Infinity;

  for (let round = 0; round <= rounds; round++) {
    const acknowledged: Acknowledged = { made: new Set(), count: 0 };
    const daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    for (const id of (await readRecords(api)).keys()) acknowledged.made.add(id);
    acknowledged.count = Number((await readRecords(api)).get(counter));
    const before = { made: acknowledged.made.size, count: acknowledged.count };
    const last = await readLastRestore(api);
    const busy = keepBusy(api, home, counter, acknowledged);
    const begin = performance.now();
    let isAcknowledged = false;
    const acting = ACTS[act](api, first).then(
      (is) => (isAcknowledged = is),
      expectKill,
    );
    // The first round is not cut off: it tells how long the act takes.
    if (round === 0) {
      await acting;
      longest = (performance.now() - begin) * LIFE_STEP;
    } else await delay(MIN_LIFE_MS + randomInt(Math.ceil(longest)));
    await daemon.kill();
    await Promise.all([acting, busy]);

    const folders = await listFolders(backup);
    for (const name of folders.half) half.add(name);
    for (const name of folders.whole)
      if (!checked.has(name)) await checkSnapshot(backup, name, pieces);
    for (const name of folders.whole) checked.add(name);
    await using next = await startDaemon(home);
    const after = await createApiClient(next);
    const snapshots = await expectGood(after);
    const places = [await readRecords(after)];
    const restored = await readLastRestore(after);
    if (restored && restored.at !== last?.at) {
      expect(restored.failure).toBeNull();
      const safety = snapshots.find(
        ({ id }) => id === restored.safetySnapshotId,
      );
      places.push(await readSnapshotRecords(safety!.path, "snippets"));
      kills.replaced++;
    } else
      expect(isAcknowledged && act !== "now" && act !== "verify").toBe(false);
    const where = `${act}, round ${round}`;
    expectAcknowledged(acknowledged, counter, places, where);
    if (isAcknowledged) kills.acknowledged++;
    if (round > 0) longest *= isAcknowledged ? 1 / LIFE_STEP : LIFE_STEP;
    kills.written += acknowledged.made.size - before.made;
    kills.written += acknowledged.count - before.count;
    // A clean stop, after which no plugin is to blame for the kill.
    expect(await next.stop()).toBe(0);
  }

  kills.half += half.size;
  kills.whole += await expectEnd(home, backup, first);
}

/** A daemon that is killed ends the connection, or takes no more. */
function expectKill(error: { code?: string }): void {
  expect(["ECONNRESET", "ECONNREFUSED"]).toContain(error.code);
}

/** Chooses the folder and makes the first snapshot. */
async function setUp(home: string, folder: string) {
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const counter = await makeCounter(api);
  for (let number = 1; number < RECORDS_AT_FIRST; number++)
    await api.call("POST", "/api/snips", { body: `At first ${number}` });
  // Neither the schedule nor retention does anything during the test.
  const settings = { folder, everyMinutes: 43_200, keepDays: 3650 };
  expect((await api.call("PUT", "/api/backup", settings)).status).toBe(200);
  expect(await ACTS.now(api)).toBe(true);
  const [snapshot] = await expectGood(api);
  return { first: snapshot!.id, counter };
}

/** All that is listed is whole as far as is known. */
async function expectGood(api: ApiClient): Promise<Snapshot[]> {
  const snapshots = await readAll<Snapshot>(api, "/api/backup/snapshots");
  expect(snapshots.filter(({ problem }) => problem !== null)).toEqual([]);
  return snapshots;
}

/** What was interrupted is collected, and each snapshot that is good can be restored. Gives how many there are. */
async function expectEnd(
  home: string,
  backup: string,
  first: string,
): Promise<number> {
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  await expect.poll(async () => (await listFolders(backup)).half).toEqual([]);
  const snapshots = await expectGood(api);
  const { whole } = await listFolders(backup);
  expect(whole.sort()).toEqual(
    snapshots.map(({ path }) => basename(path)).sort(),
  );
  for (const { id } of snapshots) {
    const preview = { id, preview: true };
    const answer = await api.call("POST", "/api/backup/restore", preview);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }
  expect(await ACTS.restore(api, first)).toBe(true);
  expect(await daemon.stop()).toBe(0);
  return whole.length;
}
