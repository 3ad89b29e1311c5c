import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Snapshot } from "../src/contract.ts";
import { holdReading } from "./support/hold-reading.ts";
import { startBackup, type BackupBench } from "./support/backup-bench.ts";

const NOWHERE = "snap_aaaaaaaaaaaaaaaaaaaaaaaa";
const PATH = "/api/backup/snapshots";

/** So many snapshots, a second apart; the newest first. */
async function makeMany(
  bench: BackupBench,
  count: number,
): Promise<Snapshot[]> {
  const made: Snapshot[] = [];
  for (let number = 0; number < count; number++) {
    made.unshift((await bench.backUp()).snapshot);
    await bench.kernel.clock.advance(1000);
  }
  return made;
}

describe("the list", () => {
  test("comes page by page, the newest first", async () => {
    await using bench = await startBackup();
    const made = await makeMany(bench, 5);
    const { api } = bench.kernel;
    const found: Snapshot[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await api.get<{
        items: Snapshot[];
        nextCursor: string | null;
      }>(PATH, { limit: 2, cursor });
      expect(body.items.length).toBeLessThanOrEqual(2);
      found.push(...body.items);
      cursor = body.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(found).toEqual(made);
  });

  test.each([
    [{ limit: 0 }, "INPUT_INVALID"],
    [{ limit: 501 }, "INPUT_INVALID"],
    [{ limit: "x" }, "INPUT_INVALID"],
    [{ other: 1 }, "INPUT_INVALID"],
    [{ cursor: "%%%" }, "BAD_CURSOR"],
  ])("%j is refused", async (query, code) => {
    await using bench = await startBackup();
    expect(await bench.kernel.api.get(PATH, query)).toMatchObject({
      status: 400,
      body: { code },
    });
  });

  test("half of a snapshot is none, and is removed at the next start", async () => {
    await using bench = await startBackup();
    const { path } = (await bench.backUp()).snapshot;
    const half = path.replace(/T\d\d/, "T01");
    await cp(path, half, { recursive: true });
    await rm(join(half, "manifest.json"));
    expect(await bench.list()).toHaveLength(1);
    await bench.restart();
    const names = async () =>
      await readdir(join(bench.folder, "gantry-backup"));
    await expect.poll(names).not.toContain(half.split("/").at(-1));
    expect(await bench.list()).toHaveLength(1);
  });

  test("one with a damaged manifest is listed with what is wrong, and can be deleted", async () => {
    await using bench = await startBackup();
    const [newest, older] = await makeMany(bench, 2);
    await writeFile(join(newest!.path, "manifest.json"), '{"format":1');
    const [damaged, whole] = await bench.list();
    expect(damaged).toMatchObject({
      path: newest!.path,
      createdAt: newest!.createdAt,
      problem: { code: "BACKUP_SNAPSHOT_CORRUPT" },
    });
    expect(whole).toEqual(older);
    const { id } = damaged!;
    expect(id).toMatch(/^snap_[a-z2-7]{24}$/);
    for (const answer of [
      await bench.now({ id }),
      await bench.restore({ id }),
      await bench.restore({ id, preview: true }),
    ])
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "BACKUP_SNAPSHOT_CORRUPT" },
      });
    expect((await bench.remove(id)).status).toBe(200);
    expect(await bench.list()).toEqual([older]);
  });

  test("a copy of a snapshot's folder is one of its own", async () => {
    await using bench = await startBackup();
    const { snapshot } = await bench.backUp();
    const copy = snapshot.path.replace(/T\d\d/, "T01");
    await cp(snapshot.path, copy, { recursive: true });
    const ids = (await bench.list()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids).toContain(snapshot.id);
  });

  test("what else is in the folder is no snapshot", async () => {
    await using bench = await startBackup();
    const place = join(bench.folder, "gantry-backup");
    await mkdir(join(place, "photos"));
    await writeFile(join(place, "2026-01-01T00-00-00-000Z"), "");
    expect(await bench.list()).toEqual([]);
  });
});

/** Names of all content that snapshots share. */
async function piecesIn({ folder }: BackupBench): Promise<string[]> {
  const files = join(folder, "gantry-backup/files");
  const names = await readdir(files, { recursive: true });
  return names.filter((name) => name.endsWith(".zst"));
}

describe("deleting", () => {
  test("removes it, and content that no other has", async () => {
    await using bench = await startBackup();
    await bench.fill("agents/transcripts/one.jsonl", "a".repeat(50_000));
    const one = (await bench.backUp()).snapshot;
    await bench.kernel.clock.advance(1000);
    await rm(join(bench.home.data, "agents"), { recursive: true });
    await bench.backUp();
    const pieces = () => piecesIn(bench);
    expect(await pieces()).toHaveLength(1);
    expect(await bench.remove(one.id)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect(await pieces()).toEqual([]);
    expect((await bench.list()).map(({ id }) => id)).not.toContain(one.id);
    expect(bench.told().at(-1)).toBe("backup.snapshot-deleted");
    expect(await bench.remove(one.id)).toMatchObject({ status: 404 });
  });

  test("content that no other has goes when the snapshot that is being made is whole", async () => {
    await using bench = await startBackup();
    await bench.fill("agents/transcripts/one.jsonl", "one");
    const one = (await bench.backUp()).snapshot;
    await bench.kernel.clock.advance(1000);
    await bench.fill("agents/transcripts/one.jsonl", "two");
    const reading = holdReading(bench.home);
    const making = bench.now();
    await reading.begun;
    expect((await bench.remove(one.id, { confirm: true })).status).toBe(200);
    expect(await piecesIn(bench)).toHaveLength(1);
    reading.release();
    expect((await making).status).toBe(200);
    expect(await piecesIn(bench)).toHaveLength(1);
  });

  test("content that a snapshot has just begun to count with stays for it", async () => {
    await using bench = await startBackup();
    for (let file = 0; file < 30; file++)
      await bench.fill(`agents/transcripts/${file}.jsonl`, `content ${file}`);
    const { id } = (await bench.backUp()).snapshot;
    await bench.kernel.clock.advance(1000);
    const [removed, made] = await Promise.all([
      bench.remove(id, { confirm: true }),
      bench.now({ verify: true }),
    ]);
    expect([removed.status, made.status]).toEqual([200, 200]);
    expect((await bench.list())[0]?.problem).toBeNull();
  });

  test("the newest good one needs to be confirmed", async () => {
    await using bench = await startBackup();
    const [newest, older] = await makeMany(bench, 2);
    const last = { status: 409, body: { code: "BACKUP_LAST_GOOD" } };
    expect(await bench.remove(newest!.id)).toMatchObject(last);
    expect(await bench.remove(newest!.id, {})).toMatchObject(last);
    expect(await bench.list()).toHaveLength(2);
    expect((await bench.remove(older!.id)).status).toBe(200);
    const confirmed = await bench.remove(newest!.id, { confirm: true });
    expect(confirmed.status).toBe(200);
    expect(await bench.list()).toEqual([]);
  });

  test.each([
    "..",
    "%2e%2e%2f%2e%2e%2fetc",
    "snap_..%2f..%2fetc",
    "snap_short",
    NOWHERE,
  ])("%s is not found", async (id) => {
    await using bench = await startBackup();
    await bench.backUp();
    const answer = await bench.remove(id, { confirm: true });
    expect(answer.status).toBe(id === ".." ? 405 : 404);
    expect(await bench.list()).toHaveLength(1);
  });

  test("one in use is not deleted", async () => {
    await using bench = await startBackup();
    const [newest, older] = await makeMany(bench, 2);
    const reading = holdReading(bench.home);
    // A restore reads the store for its safety snapshot.
    const restoring = bench.restore({ id: older!.id });
    await reading.begun;
    const busy = { status: 409, body: { code: "BACKUP_BUSY" } };
    expect(await bench.remove(older!.id, { confirm: true })).toMatchObject(
      busy,
    );
    expect(await bench.restore({ id: newest!.id })).toMatchObject(busy);
    expect(await bench.now()).toMatchObject(busy);
    reading.release();
    expect((await restoring).status).toBe(200);
  });
});

test("the file manager opens the folder, or the daemon says that there is none", async () => {
  await using bench = await startBackup();
  const { snapshot } = await bench.backUp();
  const { api } = bench.kernel;
  const reveal = (body: object) => api.post("/api/backup/reveal", body);
  expect((await reveal({})).body).toEqual({
    path: join(bench.folder, "gantry-backup"),
    opened: false,
  });
  expect((await reveal({ id: snapshot.id })).body).toEqual({
    path: snapshot.path,
    opened: false,
  });
  expect(await reveal({ id: NOWHERE })).toMatchObject({ status: 404 });
  expect(await reveal({ path: "/etc" })).toMatchObject({
    status: 400,
    body: { code: "INPUT_INVALID" },
  });
});

test("a client that is not paired learns nothing and changes nothing", async () => {
  await using bench = await startBackup();
  const { snapshot } = await bench.backUp();
  const { stranger, url } = bench.kernel;
  const headers = { origin: url };
  const calls = [
    ["GET", "/api/backup"],
    ["PUT", "/api/backup"],
    ["POST", "/api/backup/now"],
    ["POST", "/api/backup/restore"],
    ["POST", "/api/backup/reveal"],
    ["GET", PATH],
    ["DELETE", `${PATH}/${snapshot.id}`],
  ] as const;
  for (const [method, path] of calls)
    expect(await stranger.request(method, path, { headers })).toMatchObject({
      status: 401,
      body: { code: "AUTH_NOT_PAIRED" },
    });
  expect(await bench.list()).toHaveLength(1);
});
