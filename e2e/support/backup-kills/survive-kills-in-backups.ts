import { randomBytes, randomInt } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { createApiClient, type ApiClient } from "../api-client.ts";
import { startDaemon } from "../daemon.ts";
import { readAll } from "../read-all.ts";
import { createTemporaryFolder } from "../temporary-folder.ts";
import { checkSnapshot, listFolders } from "./check-snapshot.ts";

const MIN_LIFE_MS = 5;
/** As a multiple of what one snapshot takes, so that some are finished on a busy machine too. */
const MAX_LIFE_IN_SNAPSHOTS = 6;
const FILES = 40;
const FILE_BYTES = 150_000;

interface Snapshot {
  id: string;
  path: string;
  problem: unknown;
}

/** What came of the rounds. */
export interface BackupKills {
  /** Snapshots that were acknowledged before the kill. */
  acknowledged: number;
  /** Snapshots that are whole at the end. */
  whole: number;
  /** Folders that a kill left without a manifest. */
  half: number;
  /** Records that were acknowledged, all of which are there at the end. */
  written: number;
}

/**
 * Kills a daemon again and again while it makes a snapshot and others write to it. Each snapshot that is listed has to be whole, each
 * that was acknowledged has to be there as has each record, and nothing of the others may stay.
 */
export async function surviveKillsInBackups(
  rounds: number,
): Promise<BackupKills> {
  await using folder = await createTemporaryFolder("backup-kills");
  const home = join(folder.path, "home");
  const backup = join(folder.path, "backups", "gantry-backup");
  await fillHome(home);
  await setUp(home, join(folder.path, "backups"));
  const acknowledged = new Set<string>();
  const seen = new Set<string>();
  const written = new Set<string>();
  const snapshotMs = await measureSnapshot(home, written);
  const half = new Set<string>();

  for (let round = 1; round <= rounds; round++) {
    const daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    await expectSnapshots(api, acknowledged);
    await expectRecords(api, written);
    await writeFileOf(home, round % FILES);
    const work = Promise.allSettled([
      backUp(api, acknowledged),
      writeOn(api, `Round ${round}`, written),
    ]);
    const longest = Math.ceil(snapshotMs * MAX_LIFE_IN_SNAPSHOTS);
    await delay(MIN_LIFE_MS + randomInt(longest));
    await daemon.kill();
    await work;
    const folders = await listFolders(backup);
    for (const name of folders.half) half.add(name);
    for (const name of folders.whole) await checkSnapshot(backup, name, seen);
  }

  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const snapshots = await expectSnapshots(api, acknowledged);
  await expectRecords(api, written);
  // What was interrupted is collected soon after the start.
  await expect.poll(async () => (await listFolders(backup)).half).toEqual([]);
  const { whole } = await listFolders(backup);
  expect(whole).toEqual(
    expect.arrayContaining(snapshots.map(({ path }) => basename(path))),
  );
  const answer = await api.call("POST", "/api/backup/now", { verify: true });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(await daemon.stop()).toBe(0);
  return {
    acknowledged: acknowledged.size,
    whole: whole.length,
    half: half.size,
    written: written.size,
  };
}

async function fillHome(home: string): Promise<void> {
  await mkdir(join(home, "data", "archive"), { recursive: true, mode: 0o700 });
  for (let number = 0; number < FILES; number++)
    await writeFileOf(home, number);
}

/** Content that does not compress, so that writing it takes its time. */
const writeFileOf = (home: string, number: number) =>
  writeFile(
    join(home, "data", "archive", `file-${number}`),
    randomBytes(FILE_BYTES),
  );

/** Chooses the folder, and waits for the first snapshot, which copies everything. */
async function setUp(home: string, folder: string): Promise<void> {
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const settings = { folder, everyMinutes: 43_200 };
  const { status } = await api.call("PUT", "/api/backup", settings);
  expect(status).toBe(200);
  const first = async () => (await expectSnapshots(api, new Set())).length;
  await expect.poll(first).toBe(1);
}

/** How long a snapshot takes that is made as in a round: right after the start, while others write. */
async function measureSnapshot(
  home: string,
  written: Set<string>,
): Promise<number> {
  const daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  await writeFileOf(home, 0);
  const writing = Promise.allSettled([writeOn(api, "Before", written)]);
  const begin = performance.now();
  const answer = await api.call("POST", "/api/backup/now", {});
  const ms = performance.now() - begin;
  await daemon.kill();
  await writing;
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return ms;
}

/** Each is whole as far as is known, and each that was acknowledged is there. */
async function expectSnapshots(
  api: ApiClient,
  acknowledged: ReadonlySet<string>,
): Promise<Snapshot[]> {
  const snapshots = await readAll<Snapshot>(api, "/api/backup/snapshots");
  expect(snapshots.filter(({ problem }) => problem !== null)).toEqual([]);
  const ids = new Set(snapshots.map(({ id }) => id));
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
  return snapshots;
}

async function backUp(
  api: ApiClient,
  acknowledged: Set<string>,
): Promise<void> {
  for (;;) {
    const { status, body } = await api.call<{ snapshot: Snapshot }>(
      "POST",
      "/api/backup/now",
      {},
    );
    if (status === 200) acknowledged.add(body.snapshot.id);
  }
}

async function writeOn(
  api: ApiClient,
  title: string,
  written: Set<string>,
): Promise<void> {
  for (;;) {
    const { status, body } = await api.call<{ id: string }>(
      "POST",
      "/api/snips",
      { title, body: "x".repeat(500) },
    );
    if (status === 200) written.add(body.id);
  }
}

/** No record that was acknowledged is lost. */
async function expectRecords(
  api: ApiClient,
  written: ReadonlySet<string>,
): Promise<void> {
  const snippets = await readAll<{ id: string }>(api, "/api/snips");
  const ids = new Set(snippets.map(({ id }) => id));
  expect([...written].filter((id) => !ids.has(id))).toEqual([]);
}
