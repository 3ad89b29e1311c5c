import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InboxItems, type NewInboxItem } from "@gantry/plugin-inbox/contract";
import { provideFake } from "@gantry/plugin-testing";
import { describe, expect, test } from "vitest";
import { startBackup, type BackupBench } from "./support/backup-bench.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lets time pass minute by minute, and each job come to its end. */
async function pass(bench: BackupBench, ms: number): Promise<void> {
  const end = bench.kernel.clock.now() + ms;
  for (;;) {
    const left = end - bench.kernel.clock.now();
    if (left <= 0) break;
    await bench.kernel.clock.advance(Math.min(left, MINUTE));
    await bench.rest();
  }
}

const times = async (bench: BackupBench) =>
  (await bench.list())
    .map(({ createdAt }) => createdAt.slice(11, 16))
    .reverse();

describe("the schedule", () => {
  test("makes one soon after a folder was chosen, and one each period", async () => {
    await using bench = await startBackup();
    await bench.change({ everyMinutes: 15 });
    await pass(bench, 46 * MINUTE);
    expect(await times(bench)).toEqual(["12:01", "12:16", "12:31", "12:46"]);
    expect(await bench.list()).toMatchObject(
      Array.from({ length: 4 }, () => ({ reason: "scheduled" })),
    );
    expect((await bench.state()).nextSnapshotAt).toBe(
      "2026-03-02T13:01:00.000Z",
    );
  });

  test("makes none without a folder", async () => {
    await using bench = await startBackup({ hasFolder: false });
    await pass(bench, 2 * HOUR);
    expect(bench.told()).toEqual([]);
  });

  test(
    "counts from one that was made by hand",
    { tags: "thorough" },
    async () => {
      await using bench = await startBackup();
      await bench.change({ everyMinutes: 60 });
      await pass(bench, 10 * MINUTE);
      await bench.backUp();
      await pass(bench, 61 * MINUTE);
      expect(await times(bench)).toEqual(["12:01", "12:10", "13:10"]);
    },
  );

  test("starts over with another folder", async () => {
    await using bench = await startBackup();
    await bench.change({ everyMinutes: 1440 });
    await pass(bench, 2 * MINUTE);
    await bench.change({ folder: bench.folder });
    await pass(bench, 2 * MINUTE);
    expect(await times(bench)).toEqual(["12:01"]);
    await bench.change({ folder: `${bench.folder}-2` });
    await pass(bench, 2 * MINUTE);
    expect(await times(bench)).toEqual(["12:05"]);
  });

  test("makes up once for a night of sleep, and for downtime", async () => {
    await using bench = await startBackup();
    await bench.change({ everyMinutes: 60 });
    await pass(bench, 2 * MINUTE);
    bench.kernel.clock.jumpWall("2026-03-02T23:30:00.000Z");
    await pass(bench, 2 * MINUTE);
    expect(await times(bench)).toEqual(["12:01", "23:30"]);
    bench.kernel.clock.jumpWall("2026-03-05T08:00:30.000Z");
    await bench.restart();
    await pass(bench, 30 * MINUTE);
    // Of an earlier day the newest is kept.
    expect(await times(bench)).toEqual(["23:30", "08:00"]);
  });

  test("continues when the clock is set back, and makes no more snapshots than before", async () => {
    await using bench = await startBackup();
    await bench.change({ everyMinutes: 15 });
    await pass(bench, 2 * MINUTE);
    bench.kernel.clock.jumpWall("2020-01-01T00:00:00.000Z");
    await pass(bench, 45 * MINUTE);
    expect(await bench.list()).toHaveLength(4);
    bench.kernel.clock.jumpWall("2010-01-01T00:00:00.000Z");
    await bench.restart();
    expect(await bench.list()).toHaveLength(4);
    await pass(bench, 16 * MINUTE);
    expect(await bench.list()).toHaveLength(5);
  });

  test(
    "a daemon that starts often makes none before it is due",
    { tags: "thorough" },
    async () => {
      await using bench = await startBackup();
      await bench.change({ everyMinutes: 60 });
      await pass(bench, 2 * MINUTE);
      for (let start = 0; start < 5; start++) {
        await pass(bench, 10 * MINUTE);
        await bench.restart();
      }
      expect(await times(bench)).toEqual(["12:01"]);
      await pass(bench, 10 * MINUTE);
      expect(await times(bench)).toEqual(["12:01", "13:01"]);
    },
  );

  test("tries again after a failure, less and less often, with one notice", async () => {
    const notices: NewInboxItem[] = [];
    const settled: string[] = [];
    const inbox = provideFake(InboxItems, {
      async add(item) {
        if (!notices.some(({ key }) => key === item.key)) notices.push(item);
        return { id: "inb_a" };
      },
      settle: async ({ key }) => void settled.push(key),
    });
    await using bench = await startBackup({ beside: [inbox] });
    await bench.change({ everyMinutes: 1440 });
    await rm(join(bench.folder, "gantry-backup"), { recursive: true });
    await pass(bench, 80 * MINUTE);
    const failed = await bench.logged("backup.snapshot-failed");
    expect(failed.map(({ at }) => at.slice(11, 16))).toEqual([
      ...["12:01", "12:06", "12:16", "12:36", "13:16"],
    ]);
    expect(notices).toMatchObject([
      { kind: "notice", title: "The backup failed", severity: "warning" },
    ]);
    expect((await bench.state()).problem).toMatchObject({
      code: "BACKUP_FOLDER_UNAVAILABLE",
    });
    await bench.change({ folder: bench.folder });
    expect((await bench.state()).problem).toBeNull();
    await pass(bench, 2 * MINUTE);
    expect(await bench.list()).toHaveLength(1);
    expect((await bench.state()).problem).toBeNull();
    expect(settled).toEqual([notices[0]?.key]);
  });

  test("a failure without an Inbox is one all the same", async () => {
    await using bench = await startBackup();
    await rm(join(bench.folder, "gantry-backup"), { recursive: true });
    expect((await bench.now()).status).toBe(503);
    expect((await bench.state()).problem?.code).toBe(
      "BACKUP_FOLDER_UNAVAILABLE",
    );
  });
});

describe("retention", () => {
  test("keeps all of a day, and then one a day", async () => {
    await using bench = await startBackup();
    await bench.change({ keepDays: 3, keepsWeekly: false });
    const { clock } = bench.kernel;
    for (let day = 0; day < 6; day++)
      for (const hours of [8, 16]) {
        await bench.backUp();
        clock.jumpWall(clock.now() + hours * HOUR);
      }
    const days = (await bench.list()).map(({ createdAt }) =>
      createdAt.slice(5, 16),
    );
    // All of the last day, the newest of the two days before it.
    expect(days).toEqual([
      ...["03-07T20:00", "03-07T12:00", "03-06T20:00", "03-05T20:00"],
    ]);
    const gone = await bench.logged("backup.snapshot-deleted");
    expect(gone).toHaveLength(8);
    expect(gone[0]?.data).toEqual({ reason: "retention" });
  });

  test("leaves alone what a later version made", async () => {
    await using bench = await startBackup();
    await bench.change({ keepDays: 1, keepsWeekly: false });
    const { path } = (await bench.backUp()).snapshot;
    const file = join(path, "manifest.json");
    const text = await readFile(file, "utf8");
    const later = text.replace('"format": 2', '"format": 3');
    expect(later).not.toBe(text);
    await writeFile(file, later);
    const digest = createHash("sha256").update(later).digest("hex");
    const line = `${digest}  manifest.json\n`;
    await writeFile(join(path, "manifest.sha256"), line);
    const { clock } = bench.kernel;
    for (let day = 0; day < 3; day++) {
      clock.jumpWall(clock.now() + 2 * DAY);
      await bench.backUp();
    }
    const snapshots = await bench.list();
    expect(snapshots).toHaveLength(2);
    expect(snapshots[1]).toMatchObject({
      path,
      problem: { code: "BACKUP_SNAPSHOT_TOO_NEW" },
    });
  });

  test("gives back the room of what is deleted", async () => {
    await using bench = await startBackup();
    await bench.change({ keepDays: 1, keepsWeekly: false });
    const { clock } = bench.kernel;
    for (let day = 0; day < 4; day++) {
      await bench.fill("agents/transcripts/one", `${day}`.repeat(300_000));
      await bench.backUp();
      clock.jumpWall(clock.now() + DAY);
    }
    expect(await bench.list()).toHaveLength(1);
    await bench.kernel.restart();
    const { totalBytes, lastSnapshot } = await bench.state();
    expect(totalBytes).toBeLessThan(2 * lastSnapshot!.ownBytes + 65_536);
  });

  test("never takes the newest one that was restored on trial", async () => {
    await using bench = await startBackup();
    await bench.change({ keepDays: 1, keepsWeekly: false });
    const proven = (await bench.backUp({ verify: true })).snapshot;
    bench.home.rehearsed = [{ id: "backup", state: "failed", reason: "odd" }];
    const { clock } = bench.kernel;
    for (let round = 0; round < 3; round++) {
      clock.jumpWall(clock.now() + 2 * DAY);
      expect((await bench.now({ verify: true })).status).toBe(502);
    }
    expect((await bench.list()).at(-1)?.id).toBe(proven.id);
  });
});
