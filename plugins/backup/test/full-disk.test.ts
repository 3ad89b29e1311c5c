import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startBackup, type BackupBench } from "./support/backup-bench.ts";

const run = promisify(execFile);
const canMount = process.getuid?.() === 0 && process.platform === "linux";
const MIB = 1024 * 1024;

/** A bench whose backup folder is on a disk of its own. */
async function startOnDisk(
  size: string,
): Promise<BackupBench & AsyncDisposable> {
  const bench = await startBackup({ hasFolder: false });
  await mkdir(bench.folder, { recursive: true });
  const options = ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", bench.folder];
  await run("mount", options);
  const { status } = await bench.change({
    folder: bench.folder,
    everyMinutes: 43_200,
  });
  expect(status).toBe(200);
  return Object.assign(bench, {
    [Symbol.asyncDispose]: disposeAfter(bench, () =>
      run("umount", ["--lazy", bench.folder]),
    ),
  });
}

function disposeAfter(
  bench: BackupBench,
  first: () => Promise<unknown>,
): () => Promise<void> {
  const dispose = bench[Symbol.asyncDispose].bind(bench);
  return async () => {
    await first();
    await dispose();
  };
}

test.skipIf(!canMount)(
  "a full disk is reported, leaves no half snapshot, and the next one works once there is room",
  async () => {
    await using bench = await startOnDisk("4m");
    await bench.fill("agents/transcripts/one", "small");
    const first = (await bench.backUp()).snapshot;
    await bench.kernel.clock.advance(1000);
    await bench.fill("agents/transcripts/large", randomBytes(8 * MIB));
    const answer = await bench.now();
    expect(answer).toMatchObject({
      status: 507,
      body: { code: "BACKUP_DISK_FULL" },
    });
    expect(answer.body.detail).toContain(bench.folder);
    expect(await bench.list()).toEqual([first]);
    expect((await bench.state()).problem?.code).toBe("BACKUP_DISK_FULL");
    const place = join(bench.folder, "gantry-backup");
    expect((await readdir(place)).filter((name) => /^\d/.test(name))).toEqual([
      first.path.split("/").at(-1),
    ]);
    expect((await bench.now({ id: first.id })).status).toBe(200);

    await rm(join(bench.home.data, "agents/transcripts/large"));
    // What the failure left is gone, or there would be no room.
    await bench.fill("agents/transcripts/other", randomBytes(MIB));
    expect((await bench.backUp()).snapshot.problem).toBeNull();
  },
);

test.skipIf(!canMount)(
  "a restore without room for its safety snapshot changes nothing",
  async () => {
    await using bench = await startOnDisk("4m");
    await bench.fill("agents/transcripts/one", "small");
    const { id } = (await bench.backUp()).snapshot;
    await bench.fill("agents/transcripts/large", randomBytes(8 * MIB));
    expect(await bench.restore({ id })).toMatchObject({
      status: 507,
      body: { code: "BACKUP_DISK_FULL" },
    });
    expect(bench.home.replacements).toEqual([]);
    expect(bench.told()).not.toContain("backup.restore-begun");
    expect((await bench.state()).job).toBeNull();
  },
);

test.skipIf(!canMount)(
  "a disk that is taken away in the middle is reported, and nothing is written in its place",
  async () => {
    await using bench = await startOnDisk("16m");
    await bench.fill("agents/transcripts/one", randomBytes(MIB));
    const { readStore } = bench.home;
    bench.home.readStore = async (signal) => {
      bench.home.readStore = readStore;
      await run("umount", ["--lazy", bench.folder]);
      return await readStore(signal);
    };
    expect(await bench.now()).toMatchObject({
      status: 503,
      body: { code: "BACKUP_FOLDER_UNAVAILABLE" },
    });
    expect(await readdir(bench.folder)).toEqual([]);
    expect(await bench.state()).toMatchObject({
      snapshots: 0,
      problem: { code: "BACKUP_FOLDER_UNAVAILABLE" },
    });
    // The bench takes it away again at its end.
    const options = ["-t", "tmpfs", "tmpfs", bench.folder];
    await run("mount", options);
  },
);

test.skipIf(!canMount)(
  "a folder on a disk that is read-only or full is refused",
  async () => {
    await using bench = await startOnDisk("1m");
    await run("mount", ["-o", "remount,ro", bench.folder]);
    const { folder } = bench;
    expect(await bench.change({ folder })).toMatchObject({
      status: 400,
      body: { code: "BACKUP_FOLDER_INVALID" },
    });
    const answer = await bench.now();
    expect(answer).toMatchObject({
      status: 503,
      body: { code: "BACKUP_FOLDER_UNAVAILABLE" },
    });
    expect(answer.body.detail).toContain("read-only");
  },
);
