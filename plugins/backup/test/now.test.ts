import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  BackupProgressed,
  SnapshotMade,
  VerificationFailed,
} from "../src/contract.ts";
import type { NowAnswer } from "../src/routes/inputs.ts";
import { holdReading } from "./support/hold-reading.ts";
import { putRecord, startBackup } from "./support/backup-bench.ts";

const NOWHERE = "snap_aaaaaaaaaaaaaaaaaaaaaaaa";

describe("a snapshot", () => {
  test("is made, listed and reported by an event", async () => {
    await using bench = await startBackup();
    putRecord(bench.home, "snippets:snippet", "snp_a", { title: "One" });
    const { snapshot, verified } = await bench.backUp();
    expect(verified).toBeNull();
    expect(snapshot).toMatchObject({
      reason: "manual",
      records: 1,
      isEncrypted: false,
      hasTranscripts: true,
      hasSecrets: false,
      verifiedAt: null,
      problem: null,
      createdAt: bench.kernel.clock.timestamp(),
    });
    expect(await bench.list()).toEqual([snapshot]);
    expect(await bench.state()).toMatchObject({
      snapshots: 1,
      lastSnapshot: snapshot,
      problem: null,
      job: null,
    });
    expect(bench.told()).toEqual([
      "backup.settings-changed",
      "backup.job-progressed",
      "backup.snapshot-made",
    ]);
  });

  test("says what it takes on the disk, and how much is free there", async () => {
    await using bench = await startBackup();
    const before = await bench.state();
    await bench.backUp();
    const { totalBytes, freeBytes } = await bench.state();
    expect(totalBytes).toBeGreaterThan(before.totalBytes);
    expect(freeBytes).toBeGreaterThan(0);
    await bench.kernel.restart();
    // Measured again, it is the same but for the manifest and folders.
    const measured = (await bench.state()).totalBytes;
    expect(Math.abs(measured - totalBytes)).toBeLessThan(8192);
  });

  test("holds neither the snapshots' own keys nor settings of the moment", async () => {
    await using bench = await startBackup();
    await bench.change({ passphrase: "correct horse" });
    const { snapshot } = await bench.backUp();
    expect(snapshot.parts.map(({ name }) => name)).not.toContain("backup");
  });

  test.each([
    [{ verify: "yes" }],
    [{ id: 5 }],
    [{ id: "x".repeat(101) }],
    [{ passphrase: "" }],
    [{ more: 1 }],
  ])("%j is refused", async (body) => {
    await using bench = await startBackup();
    expect(await bench.now(body)).toMatchObject({
      status: 400,
      body: { code: "INPUT_INVALID" },
    });
    expect(await bench.list()).toEqual([]);
  });

  test("an unknown one cannot be verified, whatever its id looks like", async () => {
    await using bench = await startBackup();
    for (const id of [
      NOWHERE,
      "../../etc",
      "snap_../../../etc/passwd",
      "",
      ".",
    ])
      expect(await bench.now({ id })).toMatchObject({
        status: 404,
        body: { code: "BACKUP_SNAPSHOT_NOT_FOUND" },
      });
  });

  test("the same key gives the same answer and no second snapshot", async () => {
    await using bench = await startBackup();
    const headers = { "idempotency-key": "once" };
    const post = () =>
      bench.kernel.api.post<NowAnswer>("/api/backup/now", {}, headers);
    const [one, other] = await Promise.all([post(), post()]);
    expect(other.body).toEqual(one.body);
    expect((await post()).body).toEqual(one.body);
    expect(await bench.list()).toHaveLength(1);
  });

  test("a request that failed may be sent again with its key", async () => {
    await using bench = await startBackup();
    const place = join(bench.folder, "gantry-backup");
    await rm(place, { recursive: true });
    const headers = { "idempotency-key": "again" };
    const post = () =>
      bench.kernel.api.post<NowAnswer>("/api/backup/now", {}, headers);
    expect((await post()).status).toBe(503);
    await bench.change({ folder: bench.folder });
    expect((await post()).status).toBe(200);
  });

  test("continues when its caller leaves, and only one is made at a time", async () => {
    await using bench = await startBackup();
    const reading = holdReading(bench.home);
    const leaving = new AbortController();
    const left = bench.kernel.api
      .open("/api/backup/now", { method: "POST", signal: leaving.signal })
      .catch(() => undefined);
    await reading.begun;
    const { job } = await bench.state();
    expect(job).toMatchObject({
      kind: "snapshot",
      startedAt: bench.kernel.clock.timestamp(),
    });
    leaving.abort();
    await left;

    const busy = { status: 409, body: { code: "BACKUP_BUSY" } };
    expect(await bench.now()).toMatchObject(busy);
    reading.release();
    await bench.kernel.events.first(SnapshotMade);
    await expect.poll(async () => (await bench.state()).job).toBeNull();
    expect(await bench.list()).toHaveLength(1);
  });

  test("tells how far it is at most once a second", async () => {
    await using bench = await startBackup();
    for (let count = 0; count < 20; count++)
      await writeFile(join(bench.home.data, `file-${count}`), "x");
    await bench.backUp();
    await bench.backUp();
    expect(bench.kernel.events.all(BackupProgressed)).toHaveLength(2);
  });

  test("that fails leaves nothing and is a problem until the next is made", async () => {
    await using bench = await startBackup();
    const { readStore } = bench.home;
    bench.home.readStore = () =>
      Promise.reject(new Error("The store is made of cheese."));
    bench.kernel.expectFault(/made of cheese|A snapshot failed/);
    expect((await bench.now()).status).toBe(500);
    expect(await bench.list()).toEqual([]);
    const place = join(bench.folder, "gantry-backup");
    expect((await readdir(place)).filter((name) => /^\d/.test(name))).toEqual(
      [],
    );
    expect((await bench.state()).problem).toMatchObject({
      code: "KERNEL_FAULT",
    });
    expect(bench.told()).toContain("backup.snapshot-failed");
    bench.home.readStore = readStore;
    await bench.backUp();
    expect((await bench.state()).problem).toBeNull();
  });

  test("is given up when the daemon stops, and leaves nothing", async () => {
    await using bench = await startBackup();
    const reading = holdReading(bench.home);
    const answer = bench.now().catch(() => undefined);
    await reading.begun;
    await bench.kernel.restart();
    await answer;
    expect(await bench.list()).toEqual([]);
    // The one that is due is then made by the next daemon.
    await bench.kernel.clock.advance(5000);
    await bench.rest();
    expect((await bench.state()).problem).toBeNull();
    const [made, ...others] = await bench.list();
    expect(made).toMatchObject({ reason: "scheduled" });
    expect(others).toEqual([]);
    const place = join(bench.folder, "gantry-backup");
    const names = await readdir(place);
    expect(names.filter((name) => /^\d/.test(name))).toEqual([
      basename(made!.path),
    ]);
    expect(bench.told()).not.toContain("backup.snapshot-failed");
  });
});

describe("a verification", () => {
  test("restores on trial, and says so in the list", async () => {
    await using bench = await startBackup();
    putRecord(bench.home, "snippets:snippet", "snp_a", { title: "One" });
    bench.home.rehearsed = [
      { id: "snippets", state: "active", reason: null },
      { id: "agents", state: "failed", reason: "It fails here as well." },
    ];
    const { snapshot, verified } = await bench.backUp({ verify: true });
    const at = bench.kernel.clock.timestamp();
    expect(verified).toEqual({
      ...{ ok: true, at, plugins: 2, records: 1, files: 0 },
    });
    expect(snapshot.verifiedAt).toBe(at);
    expect(await bench.state()).toMatchObject({ lastVerifiedAt: at });
    expect(bench.told().at(-1)).toBe("backup.snapshot-verified");
    expect(await readdir(join(bench.home.folder, "stages"))).toEqual([]);
    await bench.kernel.restart();
    expect(await bench.list()).toEqual([snapshot]);
  });

  test("a date of one that was deleted is remembered", async () => {
    await using bench = await startBackup();
    const { snapshot } = await bench.backUp({ verify: true });
    await bench.kernel.clock.advance(1000);
    await bench.backUp();
    expect((await bench.remove(snapshot.id)).status).toBe(200);
    expect((await bench.state()).lastVerifiedAt).toBe(snapshot.verifiedAt);
  });

  test("a plugin that does not start on the copy is a failure", async () => {
    await using bench = await startBackup();
    bench.home.rehearsed = [
      { id: "backup", state: "failed", reason: "The records are odd." },
    ];
    const answer = await bench.now({ verify: true });
    expect(answer).toMatchObject({
      status: 502,
      body: { code: "BACKUP_REHEARSAL_FAILED" },
    });
    expect(answer.body.detail).toContain("backup");
    expect(answer.body.detail).toContain("The records are odd.");
    const [snapshot] = await bench.list();
    expect(snapshot).toMatchObject({
      verifiedAt: null,
      problem: { code: "BACKUP_REHEARSAL_FAILED" },
    });
    expect(await bench.state()).toMatchObject({
      problem: { code: "BACKUP_REHEARSAL_FAILED" },
    });
    expect(bench.kernel.events.all(VerificationFailed)).toHaveLength(1);

    bench.home.rehearsed = [];
    expect((await bench.now({ id: snapshot!.id })).status).toBe(200);
    expect((await bench.list())[0]?.problem).toBeNull();
    expect((await bench.state()).problem).toBeNull();
  });

  test("a flipped bit is found and reported, and the next snapshot writes that content again", async () => {
    await using bench = await startBackup();
    await writeFile(join(bench.home.data, "stray"), "x");
    await bench.fill("agents/transcripts/one.jsonl", "a".repeat(10_000));
    const { snapshot } = await bench.backUp();
    const pieces = join(bench.folder, "gantry-backup/files");
    const piece = (await readdir(pieces, { recursive: true })).find((name) =>
      name.endsWith(".zst"),
    )!;
    const bytes = await readFile(join(pieces, piece));
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(join(pieces, piece), bytes);

    const damaged = { code: "BACKUP_SNAPSHOT_CORRUPT" };
    expect(await bench.now({ id: snapshot.id })).toMatchObject({
      status: 400,
      body: damaged,
    });
    expect((await bench.list())[0]).toMatchObject({ problem: damaged });
    expect((await bench.state()).problem).toMatchObject(damaged);
    expect(bench.home.replacements).toEqual([]);

    await bench.kernel.clock.advance(1000);
    const again = await bench.backUp({ verify: true });
    expect(again.snapshot.problem).toBeNull();
    // The damaged content was written again, so that the older snapshot is whole as well.
    expect((await bench.now({ id: snapshot.id })).status).toBe(200);
    expect((await bench.list()).map(({ problem }) => problem)).toEqual([
      null,
      null,
    ]);
  });

  test("a snapshot that vanishes meanwhile is an error like any other", async () => {
    await using bench = await startBackup();
    await bench.fill("agents/transcripts/one.jsonl", "a".repeat(10_000));
    const { snapshot } = await bench.backUp();
    const { stage } = bench.home;
    bench.home.stage = async () => {
      await rm(snapshot.path, { recursive: true });
      return await stage();
    };
    const answer = await bench.now({ id: snapshot.id });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.code).toMatch(/^BACKUP_/);
    expect(await bench.list()).toEqual([]);
    expect((await bench.state()).job).toBeNull();
  });
});
