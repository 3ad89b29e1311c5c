import { randomInt } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { createApiClient, type ApiClient } from "../api-client.ts";
import { startDaemon } from "../daemon.ts";
import { readAll } from "../read-all.ts";
import { createTemporaryFolder } from "../temporary-folder.ts";

const SNIPPETS = 60;
const FILES = 20;
const MIN_LIFE_MS = 20;
const FIRST_LIFE_MS = 1_500;
/** How much longer or shorter a daemon lives after one that was killed too early or too late: about half of the restores are over. */
const LIFE_STEP = 1.25;

/** Everything in the home is of one of these. */
type Side = "old" | "new";

/** What came of the rounds. */
export interface RestoreKills {
  /** Rounds after which the snapshot was in place. */
  done: number;
  /** Rounds after which all was as before. */
  undone: number;
  /** Restores that were acknowledged before the kill. */
  acknowledged: number;
}

/**
 * Kills a daemon again and again while it restores one of two snapshots. Afterwards all records and files are of the one or of the
 * other, and of the one that was asked for if that was acknowledged.
 */
export async function surviveKillsInRestores(
  rounds: number,
): Promise<RestoreKills> {
  await using folder = await createTemporaryFolder("restore-kills");
  const home = join(folder.path, "home");
  const ids = await makeSides(home, join(folder.path, "backups"));
  const found: RestoreKills = { done: 0, undone: 0, acknowledged: 0 };
  let present: Side = "new";
  let longest = FIRST_LIFE_MS;

  for (let round = 1; round <= rounds; round++) {
    const daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    expect(await readSide(api, home), `round ${round}`).toBe(present);
    const wanted: Side = present === "new" ? "old" : "new";
    let isAcknowledged = false;
    const work = api
      .call("POST", "/api/backup/restore", {
        id: ids[wanted],
        keepsSessions: true,
      })
      .then(
        ({ status }) => (isAcknowledged = status === 200),
        () => undefined,
      );
    await delay(MIN_LIFE_MS + randomInt(Math.ceil(longest)));
    await daemon.kill();
    await work;

    await using next = await startDaemon(home);
    const after = await readSide(await createApiClient(next), home);
    if (isAcknowledged) {
      found.acknowledged++;
      expect(after, `acknowledged in round ${round}`).toBe(wanted);
    }
    found[after === wanted ? "done" : "undone"]++;
    longest *= after === wanted ? 1 / LIFE_STEP : LIFE_STEP;
    present = after;
    expect(await next.stop()).toBe(0);
  }

  await expectNothingLeft(home, ids);
  return found;
}

/** Makes a home of each side, and a snapshot of each. Gives their ids; the new one is what is there. */
async function makeSides(
  home: string,
  folder: string,
): Promise<Record<Side, string>> {
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  await mkdir(folder, { recursive: true });
  // Neither the schedule nor retention does anything during the test.
  const settings = { folder, everyMinutes: 43_200, keepDays: 3650 };
  expect((await api.call("PUT", "/api/backup", settings)).status).toBe(200);
  const ids: Partial<Record<Side, string>> = {};
  for (const side of ["old", "new"] as const) {
    await writeSide(api, home, side);
    ids[side] = await backUp(api);
  }
  expect(await daemon.stop()).toBe(0);
  return ids as Record<Side, string>;
}

/** Makes a snapshot, after one that is being made already. */
async function backUp(api: ApiClient): Promise<string> {
  for (;;) {
    const { status, body } = await api.call<{
      snapshot: { id: string };
      code: string;
    }>("POST", "/api/backup/now", {});
    if (status === 200) return body.snapshot.id;
    expect(body.code).toBe("BACKUP_BUSY");
  }
}

/** The same records and files on both sides, with other content, and one of each that only this side has. */
async function writeSide(
  api: ApiClient,
  home: string,
  side: Side,
): Promise<void> {
  const snippets = await readSnippets(api);
  for (const { id } of snippets) await api.call("DELETE", `/api/snips/${id}`);
  for (let number = 0; number < SNIPPETS; number++) {
    const { status } = await api.call("POST", "/api/snips", {
      title: side,
      body: `${side} ${number} ${"x".repeat(2000)}`,
    });
    expect(status).toBe(200);
  }
  const place = filesOf(home);
  await rm(place, { recursive: true, force: true });
  await mkdir(join(place, side), { recursive: true });
  for (let number = 0; number < FILES; number++)
    await writeFile(join(place, `file-${number}`), side.repeat(20_000));
  await writeFile(join(place, side, "only-here"), side);
}

const filesOf = (home: string) => join(home, "data", "archive");

const readSnippets = (api: ApiClient) =>
  readAll<{ id: string; title: string }>(api, "/api/snips");

/** Which side all of it is of. Throws for a mixture. */
async function readSide(api: ApiClient, home: string): Promise<Side> {
  const titles = (await readSnippets(api)).map(({ title }) => title);
  expect(titles).toHaveLength(SNIPPETS);
  const place = filesOf(home);
  const names = await readdir(place, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  expect(files).toHaveLength(FILES + 1);
  const contents = await Promise.all(
    files.map(async ({ name, parentPath }) =>
      (await readFile(join(parentPath, name), "utf8")).slice(0, 3),
    ),
  );
  const sides = new Set([...titles, ...contents]);
  expect([...sides]).toHaveLength(1);
  const [side] = sides;
  expect(await readdir(join(place, side!))).toEqual(["only-here"]);
  return side as Side;
}

/** Checks that a restore without a kill works in the end, and that the others left nothing in the home. */
async function expectNothingLeft(
  home: string,
  ids: Record<Side, string>,
): Promise<void> {
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  for (const side of ["old", "new"] as const) {
    const before = await readRestoreAt(api);
    const answer = await api.call("POST", "/api/backup/restore", {
      id: ids[side],
      keepsSessions: true,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    await expect
      .poll(() => readRestoreAt(api).catch(() => before))
      .not.toBe(before);
    expect(await readSide(api, home)).toBe(side);
  }
  const leftOvers = await readdir(join(home, "restore"));
  expect(leftOvers).toEqual(["result.json"]);
  expect(await daemon.stop()).toBe(0);
}

async function readRestoreAt(api: ApiClient): Promise<string | undefined> {
  const { body } = await api.call<{
    lastRestore: { at: string; failure: string | null } | null;
  }>("GET", "/api/backup");
  expect(body.lastRestore?.failure ?? null).toBeNull();
  return body.lastRestore?.at;
}
